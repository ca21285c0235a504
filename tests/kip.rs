//! The models of Kafka's history, held against what TLC says of the specifications that they follow
//! (`corpus/reference/tlc-counts.json`): every row.

use highwater::explore::{Bounds, Checkpoint, Ended, Exploration, Explored, Limits};
use highwater::invariants::{InvariantId, Selection, View};
use highwater::kip::{
    AsyncIsrModel, AsyncIsrSettings, HwOver, KipModel, KipSettings, KipState, Preset, Rules,
};
use highwater::model::{Model, Words};
use serde_json::Value;
use std::collections::BTreeSet;

fn exploration(settings: KipSettings, selection: Selection) -> Exploration<'static, KipModel> {
    exploration_of(&KipModel, settings, selection)
}

fn exploration_of<M: Model>(
    model: &M,
    settings: M::Settings,
    selection: Selection,
) -> Exploration<'_, M> {
    Exploration {
        model,
        settings,
        bounds: Bounds::none::<M>(),
        selection,
        second_phase: false,
        keep_going: false,
        is_wide: false,
        symmetries: Vec::new(),
        limits: Limits::default(),
    }
}

fn explore(exploration: &Exploration<'_, KipModel>) -> Explored<KipModel> {
    exploration.run(|| true, |_| ())
}

fn rows() -> Vec<Value> {
    let counts = include_str!("../corpus/reference/tlc-counts.json");
    let counts: Value = serde_json::from_str(counts).unwrap();
    counts["rows"].as_array().unwrap().clone()
}

fn settings(row: &Value) -> Option<KipSettings> {
    let preset = Preset::ALL.into_iter().find(|preset| row["spec"] == preset.module())?;
    let constant = |name: &str| row["constants"][name].as_u64().unwrap() as u8;
    Some(KipSettings {
        replicas: constant("Replicas").into(),
        log_size: constant("LogSize"),
        max_records: constant("MaxRecords"),
        max_leader_epoch: constant("MaxLeaderEpoch"),
        rules: preset.rules(),
    })
}

/// The states on a shortest way to one for which `is_good` does not hold, by brute force.
fn shortest_way(settings: &KipSettings, is_good: fn(&KipState) -> bool) -> Option<u64> {
    let mut level = vec![KipModel.initial(settings)];
    let mut seen = BTreeSet::new();
    for states in 1.. {
        if level.iter().any(|state| !is_good(state)) {
            return Some(states);
        }
        let mut next = Vec::new();
        for state in level {
            let mut steps = Vec::new();
            KipModel.enabled(&state, &mut steps);
            for step in steps {
                let mut after = state;
                KipModel.apply(&mut after, step, &mut highwater::invariants::Unobserved);
                let mut words = Words::default();
                KipModel.encode(&after, &mut words);
                if seen.insert(words.wide_hash()) {
                    next.push(after);
                }
            }
        }
        if next.is_empty() {
            return None;
        }
        level = next;
    }
    None
}

#[test]
fn every_row_of_tlc_is_reproduced() {
    let mut reproduced = 0;
    for row in rows() {
        let Some(settings) = settings(&row) else {
            assert_eq!(row["spec"], "AsyncIsr", "{row}");
            continue;
        };
        let names: Vec<_> = row["invariants"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect();
        let trace = row["trace_states"].as_u64();
        reproduced += 1;
        match names[..] {
            // As published it fails in the initial state.
            ["LeaderInIsr"] => {
                let is_good = |state: &KipState| {
                    state.leader().is_some_and(|leader| View::isr(state).contains(leader))
                };
                assert_eq!(shortest_way(&settings, is_good), trace, "{row}");
                continue;
            }
            ["IsrNonEmpty"] => {
                let is_good = |state: &KipState| !View::isr(state).is_empty();
                assert_eq!(shortest_way(&settings, is_good), trace, "{row}");
                continue;
            }
            _ => {}
        }
        let selection = names.iter().fold(Selection::NONE, |selection, &name| match name {
            "WeakIsr" => selection.with(InvariantId::WeakIsr),
            "StrongIsr" => selection.with(InvariantId::StrongIsr),
            "LeaderInIsrOrNone" => selection.with(InvariantId::LeaderInIsr),
            // Types are Rust's.
            "TypeOk" => selection,
            _ => panic!("{row}"),
        });
        let explored = explore(&exploration(settings, selection));
        if row["verdict"] == "violated" {
            assert_eq!(explored.ended, Ended::AtViolation, "{row}");
            let states = explored.counterexamples[0].operations.len() as u64 + 1;
            assert_eq!(Some(states), trace, "{row}");
            continue;
        }
        assert_eq!(explored.ended, Ended::Exhausted, "{row}");
        assert_eq!(Some(explored.distinct()), row["distinct"].as_u64(), "{row}");
        assert_eq!(Some(explored.levels.len() as u64), row["depth"].as_u64(), "{row}");
        // What TLC counts as generated depends on how a specification's disjunctions overlap: those of
        // two modules produce some successors twice.
        if !["Kip279", "Kip320"].iter().any(|&spec| row["spec"] == spec) {
            assert_eq!(Some(explored.generated()), row["generated"].as_u64(), "{row}");
        }
    }
    assert_eq!(reproduced, 88, "rows of the five specifications");
}

fn async_isr(row: &Value, hw_over: HwOver) -> AsyncIsrSettings {
    let constant = |name: &str| row["constants"][name].as_u64().unwrap() as u8;
    AsyncIsrSettings {
        replicas: constant("Replicas").into(),
        max_offset: constant("MaxOffset"),
        max_version: constant("MaxVersion"),
        hw_over,
    }
}

#[test]
fn async_isr_is_reproduced_and_breaks_with_either_half_of_its_rule() {
    let selection = Selection::only(InvariantId::ValidHighWatermark);
    let (mut reproduced, mut broken) = (0, BTreeSet::new());
    for row in rows().iter().filter(|row| row["spec"] == "AsyncIsr") {
        let explore = |hw_over| {
            let settings = async_isr(row, hw_over);
            exploration_of(&AsyncIsrModel, settings, selection).run(|| true, |_| ())
        };
        let explored = explore(HwOver::Both);
        assert!(explored.is_clean());
        assert_eq!(Some(explored.distinct()), row["distinct"].as_u64(), "{row}");
        assert_eq!(Some(explored.levels.len() as u64), row["depth"].as_u64(), "{row}");
        for hw_over in [HwOver::Committed, HwOver::Proposed] {
            if explore(hw_over).ended == Ended::AtViolation {
                broken.insert(hw_over);
            }
        }
        reproduced += 1;
    }
    assert_eq!((reproduced, broken.len()), (3, 2));
}

#[test]
fn a_checkpoint_is_of_the_invariants_that_were_checked() {
    let settings = KipSettings {
        replicas: 3,
        log_size: 1,
        max_records: 1,
        max_leader_epoch: 1,
        rules: Preset::Kip279.rules(),
    };
    let folder = tempfile::tempdir().unwrap();
    let run = |invariant, checkpoint: Checkpoint| {
        let exploration = exploration(settings, Selection::only(invariant));
        exploration.run_with(Some(&checkpoint), || true, |_| ())
    };
    // The space is clean of the one and not of the other.
    let written = run(InvariantId::WeakIsr, Checkpoint::write(folder.path())).unwrap();
    assert!(written.is_clean());
    let refused = run(InvariantId::StrongIsr, Checkpoint::resume(folder.path())).unwrap_err();
    assert!(refused.to_string().contains("its invariants is"), "{refused}");
    let resumed = run(InvariantId::WeakIsr, Checkpoint::resume(folder.path())).unwrap();
    assert_eq!(resumed.levels, written.levels);
}

#[test]
fn replicas_are_alike() {
    let size = |preset: Preset, replicas, max_leader_epoch| KipSettings {
        replicas,
        log_size: 1,
        max_records: 1,
        max_leader_epoch,
        rules: preset.rules(),
    };
    let mut quotients = Vec::new();
    for (preset, replicas, epochs, invariant) in [
        (Preset::TruncateToHw, 2, 1, InvariantId::StrongIsr),
        (Preset::Kip101, 3, 1, InvariantId::StrongIsr),
        (Preset::Kip279, 3, 1, InvariantId::StrongIsr),
        (Preset::Kip279, 3, 2, InvariantId::WeakIsr),
        (Preset::Kip320FirstTry, 3, 2, InvariantId::WeakIsr),
        (Preset::Kip320, 3, 1, InvariantId::StrongIsr),
        (Preset::Kip320, 2, 2, InvariantId::WeakIsr),
    ] {
        let settings = size(preset, replicas, epochs);
        let all = exploration(settings, Selection::only(invariant));
        let symmetries = KipModel.symmetries(&settings).unwrap();
        let quotient = explore(&Exploration {
            symmetries,
            ..exploration(settings, Selection::only(invariant))
        });
        let all = explore(&all);
        assert_eq!(all.ended, quotient.ended, "{preset}");
        let shortest = |explored: &Explored<KipModel>| {
            explored.counterexamples.first().map(|one| one.operations.len())
        };
        assert_eq!(shortest(&all), shortest(&quotient), "{preset}");
        if all.ended == Ended::Exhausted {
            assert_eq!(all.levels.len(), quotient.levels.len());
            quotients.push((all.distinct(), quotient.distinct()));
        }
    }
    assert_eq!(quotients, [(6_787, 1_165), (1_365, 683)]);
}

#[test]
fn switching_off_any_rule_of_kip_320_is_caught() {
    let size = |rules: Rules| KipSettings {
        replicas: 3,
        log_size: 2,
        max_records: 2,
        max_leader_epoch: 2,
        rules,
    };
    let selection = Selection::SPECIFIED;
    let mut caught = Vec::new();
    for name in Rules::NAMES {
        let rules = Preset::Kip320.rules().without(name).unwrap();
        let limits = Limits { states_max: 3_000_000, ..Limits::default() };
        let explored = explore(&Exploration { limits, ..exploration(size(rules), selection) });
        let first = explored.counterexamples.first();
        caught
            .push((name, first.map(|one| (one.failure.invariant().name(), one.operations.len()))));
    }
    let expected = [
        ("truncation", "weak-isr", 11),
        ("fence-truncation", "weak-isr", 13),
        ("fence-fetch", "weak-isr", 12),
        ("fence-high-watermark", "weak-isr", 12),
        ("fence-isr", "weak-isr", 14),
        ("expand-in-current-epoch", "strong-isr", 11),
    ];
    assert_eq!(caught, expected.map(|(name, invariant, steps)| (name, Some((invariant, steps)))));
}
