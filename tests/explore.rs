//! Exploration: what it visits, what it finds, and that this depends on nothing else than what is
//! explored.

use highwater::explore::{Bounds, Checkpoint, Ended, Exploration, Explored, Limits};
use highwater::invariants::{AckLevel, InvariantId, KeyId, NodeId, Selection, ValueId};
use highwater::isr::{Guard, IsrModel, Operation, Rules, Settings, Variant};
use highwater::model::Model;
use highwater::run::Run;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const FRESH: IsrModel = IsrModel::FRESH;

fn settings(rules: Rules) -> Settings {
    Settings { rules, ..Settings::SMALL }
}

fn exploration(rules: Rules, bounds: &str) -> Exploration<'static, IsrModel> {
    Exploration {
        model: &FRESH,
        settings: settings(rules),
        bounds: Bounds::parse::<IsrModel>(bounds).unwrap(),
        selection: Selection::ALL,
        second_phase: false,
        keep_going: false,
        is_wide: false,
        symmetries: Vec::new(),
        limits: Limits::default(),
    }
}

fn explore(exploration: &Exploration<'_, IsrModel>) -> Explored<IsrModel> {
    exploration.run(|| true, |_| ())
}

const HARDENED: Rules = Rules::of(Variant::Hardened);
const PUBLISHED: Rules = Rules::of(Variant::Published);

/// A bound: how often operations of a class may be applied, or any number of times.
type Limit = (&'static str, Option<usize>);

/// Every state within bounds, by brute force: all sequences of operations, each run from the start.
/// The number of states on each level down to `depth`, and the length of the shortest violation, at
/// whose level it ends.
fn brute_force(
    exploration: &Exploration<'_, IsrModel>,
    bounds: &[Limit],
    depth: usize,
) -> (Vec<u64>, Option<usize>) {
    let class = |operation| IsrModel::CLASSES[IsrModel::class(operation)];
    let (mut seen, mut levels) = (BTreeSet::new(), Vec::new());
    let mut ways: Vec<Vec<Operation>> = vec![Vec::new()];
    for level in 0..=depth {
        let mut next = Vec::new();
        let mut states = 0;
        for way in ways {
            let mut run = Run::new(exploration.model, &exploration.settings, exploration.selection);
            let mut used: BTreeMap<&str, usize> = BTreeMap::new();
            for &operation in &way {
                if !IsrModel::is_refusal(run.apply(operation)) {
                    *used.entry(class(operation)).or_default() += 1;
                }
            }
            if !run.failures().is_empty() {
                return (levels, Some(level));
            }
            let times = |name| used.get(name).copied().unwrap_or(0);
            let counted = bounds.iter().filter(|(_, limit)| limit.is_some());
            let counted: Vec<_> = counted.map(|&(name, _)| times(name)).collect();
            if !seen.insert((run.fingerprint(), counted)) {
                continue;
            }
            states += 1;
            let mut offered = Vec::new();
            exploration.model.offered(run.state(), &mut offered);
            for operation in offered {
                let name = class(operation);
                let bound = bounds.iter().find(|(bounded, _)| *bounded == name);
                if bound.is_some_and(|(_, limit)| limit.is_none_or(|limit| times(name) < limit)) {
                    next.push([way.clone(), vec![operation]].concat());
                }
            }
        }
        levels.push(states);
        ways = next;
    }
    (levels, None)
}

fn bounds_text(bounds: &[Limit]) -> String {
    let part = |(name, limit): &Limit| match limit {
        None => (*name).to_owned(),
        Some(limit) => format!("{name}={limit}"),
    };
    bounds.iter().map(part).collect::<Vec<_>>().join(",")
}

#[test]
fn it_visits_what_brute_force_visits_and_finds_what_it_finds() {
    let (elect, tick) = (("controller_elect", Some(1)), ("tick", None));
    let (submit, write) = (("submit", Some(1)), ("write", Some(1)));
    let crash = ("crash_losing", Some(1));
    let mut violated = 0;
    for (rules, bounds) in [
        (HARDENED, vec![write, elect, tick]),
        (HARDENED, vec![submit, crash, ("restart", None), tick]),
        (PUBLISHED, vec![submit, write, elect]),
        (PUBLISHED, vec![write, crash, ("restart", Some(1))]),
        (
            HARDENED.without(Guard::FenceWaitingWrites),
            vec![submit, elect, write, ("tick", Some(2))],
        ),
    ] {
        let exploration = exploration(rules, &bounds_text(&bounds));
        let (levels, shortest) = brute_force(&exploration, &bounds, 5);
        let explored = explore(&exploration);
        let found = explored.counterexamples.first().map(|one| one.operations.len());
        assert_eq!(found, shortest, "{rules} {bounds:?}");
        assert!(levels.len() > 1);
        assert_eq!(explored.levels[..levels.len()], levels, "{rules} {bounds:?}");
        violated += usize::from(shortest.is_some());
    }
    assert!((2..5).contains(&violated), "{violated}");
}

#[test]
fn published_breaks_within_3_operations_and_no_fewer_do() {
    let bounds = "write=2,controller_elect=1,tick";
    let selection = Selection::only(InvariantId::CommittedPrefixAgreement);
    let exploration = Exploration { selection, ..exploration(PUBLISHED, bounds) };
    let explored = explore(&exploration);
    assert_eq!(explored.ended, Ended::AtViolation);
    let [counterexample] = explored.counterexamples.as_slice() else { panic!("one is found") };
    assert_eq!(counterexample.operations.len(), 3);
    let limits = Limits { depth_max: 2, ..Limits::default() };
    let shorter = explore(&Exploration { limits, ..exploration });
    assert_eq!((shorter.ended, shorter.counterexamples.len()), (Ended::Depth, 0));
}

#[test]
fn hardened_is_exhausted_and_clean_and_its_states_are_counted() {
    // Two writes that may wait while faults fall, two elections, a lossy crash with its restart, an
    // isolation with its heal.
    let bounds = "submit=2,controller_elect=2,crash_losing=1,restart,isolate=1,heal=1,tick";
    let explored = explore(&exploration(HARDENED, bounds));
    assert!(explored.is_clean(), "{:?}", explored.ended);
    assert_eq!((explored.distinct(), explored.generated()), (2_541_954, 15_323_099));
    assert_eq!(
        explored.levels,
        [
            1, 14, 134, 963, 5_739, 27_452, 100_538, 270_918, 521_938, 674_027, 577_216, 276_324,
            72_566, 12_365, 1_670, 89
        ]
    );
}

#[test]
fn writes_that_block_are_sequences_of_the_same_steps_and_lead_nowhere_else() {
    let bounds = "submit=2,controller_elect=1,crash_losing=1,restart,tick";
    let waiting = explore(&exploration(HARDENED, bounds));
    let blocking = bounds.replace("submit=2", "write+submit=2");
    let blocking = explore(&exploration(HARDENED, &blocking));
    assert!(waiting.is_clean() && blocking.is_clean());
    assert_eq!(waiting.distinct(), blocking.distinct());
    assert!(waiting.generated() < blocking.generated());
}

#[test]
fn the_second_phase_of_every_state_is_looked_at() {
    let bounds = "write=1,controller_elect=1,crash_losing=1,restart,tick";
    let clean = explore(&Exploration { second_phase: true, ..exploration(HARDENED, bounds) });
    assert!(clean.is_clean());
    assert!(clean.counts.tested[InvariantId::Recovery as usize] >= clean.distinct());
    assert!(clean.counts.tested[InvariantId::Quiescence as usize] >= clean.distinct());
    let without = HARDENED.without(Guard::ReplaceFencedLeader);
    let selection = Selection::only(InvariantId::Recovery);
    let violated =
        explore(&Exploration { second_phase: true, selection, ..exploration(without, bounds) });
    assert_eq!(violated.counterexamples[0].operations.len(), 2);
}

#[test]
fn threads_and_checkpoints_change_nothing() {
    let bounds = "submit=1,write=1,controller_elect=1,crash_losing=1,restart,tick";
    for (rules, keep_going) in [(HARDENED, false), (PUBLISHED, false), (PUBLISHED, true)] {
        let exploration =
            Exploration { keep_going, second_phase: true, ..exploration(rules, bounds) };
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| explore(&exploration))
        };
        let one = on(1);
        let folder = tempfile::tempdir().unwrap();
        let checkpoint = Checkpoint::write(folder.path());
        let with_checkpoint = exploration.run_with(Some(&checkpoint), || true, |_| ()).unwrap();
        for other in [on(2), on(7), with_checkpoint] {
            same(&one, &other);
        }
        assert_eq!(one.counterexamples.is_empty(), rules == HARDENED);
        assert!(!keep_going || one.counterexamples.len() > 5);
    }
}

fn same(one: &Explored<IsrModel>, other: &Explored<IsrModel>) {
    assert_eq!(one.ended, other.ended);
    assert_eq!((&one.levels, &one.counts), (&other.levels, &other.counts));
    let in_short = |explored: &Explored<IsrModel>| {
        let counterexamples = explored.counterexamples.iter();
        counterexamples.map(|one| (one.operations.clone(), one.failure.clone())).collect::<Vec<_>>()
    };
    assert_eq!(in_short(one), in_short(other));
    assert_eq!(one.collisions, other.collisions);
}

#[test]
fn an_interrupted_exploration_that_is_gone_on_with_ends_like_one_that_was_not() {
    let bounds = "submit=1,write=1,controller_elect=1,crash_losing=1,restart,tick";
    for (rules, keep_going) in [(HARDENED, false), (PUBLISHED, true)] {
        let exploration = Exploration { keep_going, ..exploration(rules, bounds) };
        let whole = explore(&exploration);
        for stop_after in [0, 1, 3, 8, 9] {
            let folder = tempfile::tempdir().unwrap();
            let asked = std::cell::Cell::new(0);
            let go_on = || {
                asked.set(asked.get() + 1);
                asked.get() <= stop_after
            };
            let checkpoint = Checkpoint::write(folder.path());
            let part = exploration.run_with(Some(&checkpoint), go_on, |_| ()).unwrap();
            assert_eq!(part.ended, Ended::Interrupted);
            let resumed = Checkpoint::resume(folder.path());
            same(&whole, &exploration.run_with(Some(&resumed), || true, |_| ()).unwrap());
        }
    }
}

#[test]
fn a_damaged_or_foreign_checkpoint_is_refused_with_a_reason() {
    let exploration = exploration(HARDENED, "submit=1,controller_elect=1,tick");
    let refused = |folder: &Path, exploration: &Exploration<'_, IsrModel>| {
        let checkpoint = Checkpoint::resume(folder);
        exploration.run_with(Some(&checkpoint), || true, |_| ()).unwrap_err().to_string()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert!(refused(path, &exploration).contains("no checkpoint here"));
    let checkpoint = Checkpoint::write(path);
    exploration.run_with(Some(&checkpoint), || true, |_| ()).unwrap();
    let again = exploration.run_with(Some(&checkpoint), || true, |_| ()).unwrap_err();
    assert!(again.to_string().contains("there is a checkpoint already"));
    let bounds = Bounds::parse::<IsrModel>("submit=2,controller_elect=1,tick").unwrap();
    let other =
        Exploration { bounds, settings: exploration.settings, ..exploration_of(&exploration) };
    assert!(refused(path, &other).contains("its bounds is"));
    let mut settings = exploration.settings;
    settings.ack_timeout_ticks = 3;
    let other = Exploration { settings, ..exploration_of(&exploration) };
    assert!(refused(path, &other).contains("its settings is"));
    let other = Exploration { is_wide: true, ..exploration_of(&exploration) };
    assert!(refused(path, &other).contains("its fingerprint_bits is"));
    let model = IsrModel { keys: 2, ..FRESH };
    let other = Exploration { model: &model, ..exploration_of(&exploration) };
    assert!(refused(path, &other).contains("its parameters is"));
    // Levels without what says whose they are.
    let identity = std::fs::read(path.join("exploration.json")).unwrap();
    std::fs::remove_file(path.join("exploration.json")).unwrap();
    let again = exploration.run_with(Some(&checkpoint), || true, |_| ()).unwrap_err();
    assert!(again.to_string().contains("there is a checkpoint already"));
    let elsewhere = tempfile::tempdir().unwrap();
    let other = Exploration { is_wide: true, ..exploration_of(&exploration) };
    other.run_with(Some(&Checkpoint::write(elsewhere.path())), || true, |_| ()).unwrap();
    std::fs::copy(elsewhere.path().join("exploration.json"), path.join("exploration.json"))
        .unwrap();
    assert!(refused(path, &other).contains("level-00000: damaged: a level of another exploration"));
    std::fs::write(path.join("exploration.json"), identity).unwrap();
    let left = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    assert!(left.into_iter().all(|file| file.extension().is_none_or(|one| one != "tmp")));
    // Every byte counts.
    let file = path.join("level-00003");
    let content = std::fs::read(&file).unwrap();
    for place in [0, 8, 20, content.len() / 2, content.len() - 20, content.len() - 1] {
        let mut damaged = content.clone();
        damaged[place] ^= 1;
        std::fs::write(&file, damaged).unwrap();
        let reason = refused(path, &exploration);
        assert!(reason.contains("level-00003: damaged"), "{reason}");
    }
    std::fs::write(&file, &content[..content.len() - 1]).unwrap();
    assert!(refused(path, &exploration).contains("level-00003: damaged"));
    std::fs::write(&file, []).unwrap();
    assert!(refused(path, &exploration).contains("level-00003: damaged"));
    // A level of another exploration, complete in itself.
    std::fs::copy(path.join("level-00002"), &file).unwrap();
    assert!(refused(path, &exploration).contains("damaged"));
}

fn exploration_of<'m>(other: &Exploration<'m, IsrModel>) -> Exploration<'m, IsrModel> {
    Exploration {
        model: other.model,
        settings: other.settings,
        bounds: other.bounds.clone(),
        symmetries: other.symmetries.clone(),
        ..*other
    }
}

#[test]
fn wide_fingerprints_visit_the_same_states() {
    let bounds = "submit=1,write=1,controller_elect=1,crash_losing=1,restart,tick";
    let narrow = explore(&exploration(HARDENED, bounds));
    let wide = explore(&Exploration { is_wide: true, ..exploration(HARDENED, bounds) });
    assert_eq!((narrow.levels, narrow.counts), (wide.levels, wide.counts));
    assert!(wide.collisions.calculated < narrow.collisions.calculated / 1e15);
}

#[test]
fn a_budget_that_is_reached_is_no_verdict() {
    let whole = exploration(HARDENED, "submit=1,write=1,controller_elect=1,crash_losing=1,tick");
    let limited = |limits| {
        let explored = explore(&Exploration { limits, ..exploration_of(&whole) });
        assert!(!explored.is_clean() && explored.unexpanded > 0);
        explored.ended
    };
    assert!(explore(&whole).is_clean());
    assert_eq!(limited(Limits { depth_max: 3, ..Limits::default() }), Ended::Depth);
    assert_eq!(limited(Limits { states_max: 100, ..Limits::default() }), Ended::States);
    assert_eq!(limited(Limits { memory_max: 60_000, ..Limits::default() }), Ended::Memory);
}

#[test]
fn states_that_differ_in_a_catch_up_under_way_are_not_merged() {
    let rules = HARDENED.without(Guard::RetryCatchUp);
    let settings = Settings { nodes: 2, min_insync_replicas: 1, ..settings(rules) };
    let [a, b] = [0, 1].map(NodeId::new);
    let (key, value) = (KeyId(0), ValueId::from_index(0).unwrap());
    let mut one = Run::new(&FRESH, &settings, Selection::ALL);
    one.apply(Operation::Isolate { node: a });
    one.apply(Operation::Write { key, value, ack: AckLevel::Leader });
    let mut other = one.clone();
    other.apply(Operation::SetReplicaSlow { node: b, slow: false });
    assert_ne!(one.fingerprint(), other.fingerprint());
}

#[test]
fn what_was_found_when_a_budget_ended_a_level_is_not_lost() {
    let selection = Selection::only(InvariantId::Recovery);
    let bounds = "write+submit=2,controller_elect=1,crash_losing=1,restart,isolate=1,heal=1,tick";
    let whole = Exploration { selection, second_phase: true, ..exploration(PUBLISHED, bounds) };
    assert!(explore(&whole).is_shortest());
    let mut found_in_part = 0;
    for states_max in [1, 20, 200, 1_000] {
        let limits = Limits { states_max, ..Limits::default() };
        let explored = explore(&Exploration { limits, ..exploration_of(&whole) });
        if explored.ended == Ended::States {
            assert!(!explored.is_shortest());
            found_in_part += explored.counterexamples.len();
        }
    }
    // Interrupted in the middle of the level in which it is found.
    let asked = std::cell::Cell::new(0);
    let go_on = || {
        asked.set(asked.get() + 1);
        asked.get() < 6
    };
    found_in_part += whole.run(go_on, |_| ()).counterexamples.len();
    assert!(found_in_part > 0);
}

#[test]
fn a_second_phase_that_a_limit_has_cut_off_is_not_clean() {
    let settings = Settings {
        replica_lag_timeout_ticks: 3,
        log_retention_entries: 1,
        ack_timeout_ticks: 32,
        lease_duration_ticks: 4,
        ..settings(PUBLISHED)
    };
    let bounds = "write+submit=2,controller_elect=1";
    let selection = Selection::only(InvariantId::HwWithinIsr);
    let cut_off =
        Exploration { settings, selection, second_phase: true, ..exploration(PUBLISHED, bounds) };
    let explored = explore(&cut_off);
    assert_eq!(explored.ended, Ended::Exhausted);
    assert!(explored.counts.halted > 0 && !explored.is_clean());
}

#[test]
fn a_space_in_which_nothing_was_checked_or_offered_is_not_clean() {
    let bounds = "submit=1,tick";
    let nothing = Exploration { selection: Selection::NONE, ..exploration(HARDENED, bounds) };
    let explored = explore(&nothing);
    assert!(explored.ended == Ended::Exhausted && !explored.is_clean());
    for empty in ["", ",,,", "write=0"] {
        assert!(Bounds::parse::<IsrModel>(empty).is_err(), "{empty:?}");
    }
}

#[test]
fn more_operations_than_have_numbers_are_no_panic_and_not_clean() {
    let model = IsrModel { network_faults: true, delay_ticks_max: 70_000, ..FRESH };
    let bounds = Bounds::parse::<IsrModel>("submit=1,delay_message=1").unwrap();
    let limits = Limits { depth_max: 2, ..Limits::default() };
    let many = Exploration { model: &model, bounds, limits, ..exploration(HARDENED, "tick") };
    let explored = explore(&many);
    assert!(explored.counts.halted > 0 && !explored.is_clean());
}
