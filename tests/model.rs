//! What engines rely on: enabled operations apply, and a state's identity knows no absolute time.

use highwater::invariants::{Checker, Event, Observer, Selection, Unobserved};
use highwater::isr::{IsrModel, Outcome, Partition, Values};
use highwater::model::Model;
use highwater::scenario::generate::Generator;

const MODEL: IsrModel =
    IsrModel { keys: 2, values: Values::First(2), network_faults: true, delay_ticks_max: 1 };

/// States that generated sequences come through.
fn states() -> Vec<Partition> {
    let (source, mut operations, mut states) = (Generator::default(), Vec::new(), Vec::new());
    for index in 0..60 {
        let settings = source.draw(13, index, &mut operations);
        let mut state = MODEL.initial(&settings);
        for &operation in operations.iter().take(15) {
            MODEL.apply(&mut state, operation, &mut Unobserved);
        }
        if !state.is_halted() {
            states.push(state);
        }
    }
    states
}

#[test]
fn what_is_enabled_is_not_refused_and_there_is_always_something() {
    for state in states() {
        let mut enabled = Vec::new();
        MODEL.enabled(&state, &mut enabled);
        assert!(!enabled.is_empty());
        for operation in enabled {
            let outcome = MODEL.apply(&mut state.clone(), operation, &mut Unobserved);
            let is_limit = matches!(outcome, Outcome::Refused(error) if error.is_limit());
            assert!(
                is_limit || !matches!(outcome, Outcome::Refused(_)),
                "{operation:?}: {outcome:?}"
            );
        }
    }
}

#[test]
fn a_partition_at_rest_is_the_same_state_tick_after_tick() {
    let mut seen = 0;
    for mut state in states() {
        let mut observer = Unobserved;
        MODEL.settle(&mut state, &mut observer);
        // Writes time out, lag and lease stop mattering.
        (0..100).for_each(|_| state_tick(&mut state));
        if state.in_flight() > 0 || state.is_halted() {
            continue;
        }
        let fingerprint =
            |state: &Partition| MODEL.fingerprint(state, &Checker::new(Selection::NONE, state));
        let before = fingerprint(&state);
        state_tick(&mut state);
        assert_eq!(fingerprint(&state), before);
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

fn state_tick(state: &mut Partition) {
    MODEL.apply(state, highwater::isr::Operation::Tick, &mut Unobserved);
}

#[test]
fn states_that_differ_in_what_matters_have_different_fingerprints() {
    let mut fingerprints = std::collections::BTreeSet::new();
    let states = states();
    for state in &states {
        let mut checker = Checker::new(Selection::ALL, state);
        checker.observe(Event::OperationEnded, state);
        let mut enabled = Vec::new();
        MODEL.enabled(state, &mut enabled);
        fingerprints.insert(MODEL.fingerprint(state, &checker));
    }
    // Sequences of 15 operations over random configurations hardly ever end in the same state.
    assert!(
        fingerprints.len() * 10 > states.len() * 9,
        "{} of {}",
        fingerprints.len(),
        states.len()
    );
}
