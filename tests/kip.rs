//! The models of Kafka's history, held against what TLC says of the specifications that they follow
//! (`corpus/reference/tlc-counts.json`): every row.

use highwater::explore::{Bounds, Ended, Exploration, Explored, Limits};
use highwater::invariants::{InvariantId, Selection, View};
use highwater::kip::{KipModel, KipSettings, KipState, Preset};
use highwater::model::{Model, Words};
use serde_json::Value;
use std::collections::BTreeSet;

fn exploration(settings: KipSettings, selection: Selection) -> Exploration<'static, KipModel> {
    Exploration {
        model: &KipModel,
        settings,
        bounds: Bounds::none::<KipModel>(),
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
