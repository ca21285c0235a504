//! Histories by hand. What a history may be is held against exhaustive search in
//! [`exhaustive_search`].

mod exhaustive_search;

use super::*;
use crate::InvariantId;
use crate::testing::{Partition, Run, entry, node, value};
use crate::vocabulary::Offset;
use exhaustive_search::Step::{self, Accept, Read, Refuse, Submit, Unresolve};

/// Tells `run` of `step`.
fn tell(run: &mut Run, step: Step) {
    let answer = |write, accepted| Event::WriteAnswered {
        write: WriteId(write as u32),
        ack: AckLevel::AllIsr,
        accepted,
        offset: Offset(1),
        entry: entry(1, 0, 0),
    };
    run.tell(match step {
        Submit(write, key, new) => Event::WriteSubmitted {
            write: WriteId(write as u32),
            key: KeyId(key),
            value: value(new),
            ack: AckLevel::AllIsr,
        },
        Accept(write) => answer(write, true),
        Unresolve(write) => answer(write, false),
        Refuse(write) => Event::WriteRefused { write: WriteId(write as u32) },
        Read(key, found) => Event::ReadServed {
            level: ReadLevel::Linearizable,
            node: node(0),
            key: KeyId(key),
            value: found.map(value),
            offset: Offset(1),
        },
    });
}

fn nothing_yet() -> Run {
    Run::new(InvariantId::ClientLinearizability, Partition::of(2))
}

fn history(steps: &[Step]) -> Run {
    let mut run = nothing_yet();
    for &step in steps {
        tell(&mut run, step);
    }
    run
}

const NOT_LINEARIZABLE: &str = "read-not-linearizable";

#[test]
fn a_value_that_nobody_wrote_must_not_be_read() {
    history(&[Submit(0, 0, 1), Accept(0), Read(0, Some(2))]).assert_violated(
        NOT_LINEARIZABLE,
        "a linearizable read of k0 returned v2, and no order of the writes explains all that clients saw of k0; v1, for one, would have been explained",
    );
}

#[test]
fn an_accepted_write_must_be_seen_by_later_reads() {
    history(&[Submit(0, 0, 1), Accept(0), Read(0, None)]).assert_violated(
        NOT_LINEARIZABLE,
        "a linearizable read of k0 returned nothing, and no order of the writes explains all that clients saw of k0; v1, for one, would have been explained",
    );
}

#[test]
fn what_a_read_has_shown_must_not_vanish() {
    let run = history(&[Submit(0, 0, 1), Read(0, None), Read(0, Some(1)), Read(0, None)]);
    run.assert_violated(
        NOT_LINEARIZABLE,
        "a linearizable read of k0 returned nothing, and no order of the writes explains all that clients saw of k0; v1, for one, would have been explained",
    );
}

#[test]
fn a_write_takes_effect_at_most_once() {
    let once = [Submit(0, 0, 1), Submit(1, 0, 2), Unresolve(0), Read(0, Some(1)), Read(0, Some(2))];
    let run = history(&once);
    run.assert_holds();
    let twice = [&once[..], &[Read(0, Some(1))]].concat();
    history(&twice).assert_violated(
        NOT_LINEARIZABLE,
        "a linearizable read of k0 returned v1, and no order of the writes explains all that clients saw of k0; v2, for one, would have been explained",
    );
}

#[test]
fn a_refused_write_must_never_have_been_read() {
    history(&[Submit(0, 1, 7), Read(1, Some(7)), Refuse(0)]).assert_violated(
        "refused-write-took-effect",
        "the write k1=v7 was refused at admission, but a read had already returned it",
    );
}

#[test]
fn a_refused_write_must_never_be_read_later() {
    let run = history(&[Submit(0, 0, 7), Refuse(0), Read(0, Some(7))]);
    run.assert_violated(
        NOT_LINEARIZABLE,
        "a linearizable read of k0 returned v7, and no order of the writes explains all that clients saw of k0; nothing, for one, would have been explained",
    );
}

#[test]
fn an_accepted_write_takes_effect_before_its_answer() {
    // The first is answered, so the second, accepted later, comes after it.
    let steps = [Submit(0, 0, 1), Accept(0), Submit(1, 0, 2), Accept(1)];
    history(&[&steps[..], &[Read(0, Some(2))]].concat()).assert_holds();
    assert!(!history(&[&steps[..], &[Read(0, Some(1))]].concat()).checker().violations().is_empty());
}

#[test]
fn writes_that_overlap_may_take_effect_in_either_order() {
    let steps = [Submit(0, 0, 1), Submit(1, 0, 2), Accept(0), Accept(1)];
    for last in [1, 2] {
        history(&[&steps[..], &[Read(0, Some(last)), Read(0, Some(last))]].concat()).assert_holds();
        let both = [Read(0, Some(last)), Read(0, Some(3 - last))];
        let run = history(&[&steps[..], &both].concat());
        assert_eq!(run.checker().violations()[0].evidence.kind(), NOT_LINEARIZABLE);
    }
}

#[test]
fn an_unresolved_write_may_take_effect_later_or_never() {
    let steps = [Submit(0, 0, 1), Unresolve(0), Read(0, None)];
    history(&[&steps[..], &[Read(0, None)]].concat()).assert_holds();
    history(&[&steps[..], &[Read(0, Some(1))]].concat()).assert_holds();
}

#[test]
fn a_leader_write_may_take_effect_later_or_never_although_it_was_accepted() {
    let mut run = history(&[Submit(0, 0, 1)]);
    run.tell(Event::WriteAnswered {
        write: WriteId(0),
        ack: AckLevel::Leader,
        accepted: true,
        offset: Offset(1),
        entry: entry(1, 0, 1),
    });
    tell(&mut run, Read(0, None));
    tell(&mut run, Read(0, Some(1)));
    run.assert_holds();
}

#[test]
fn keys_are_registers_of_their_own() {
    history(&[Submit(0, 0, 1), Submit(1, 1, 1), Accept(0), Read(1, None), Read(0, Some(1))])
        .assert_holds();
    let run = history(&[Submit(0, 0, 1), Accept(0), Read(1, Some(1))]);
    assert_eq!(run.checker().violations()[0].evidence.kind(), NOT_LINEARIZABLE);
}

#[test]
fn writes_alone_and_reads_of_other_levels_test_nothing() {
    let mut run = history(&[Submit(0, 0, 1), Accept(0), Submit(1, 0, 1), Refuse(1)]);
    for level in [ReadLevel::Local, ReadLevel::Leader] {
        let (node, key, offset) = (node(0), KeyId(0), Offset(0));
        run.tell(Event::ReadServed { level, node, key, value: Some(value(9)), offset });
    }
    run.assert_untested();
}

#[test]
fn many_unresolved_writes_of_the_same_value_are_no_limit() {
    let mut run = nothing_yet();
    for write in 0..OPEN_WRITES_MAX {
        tell(&mut run, Submit(write, 0, write % 2));
        tell(&mut run, Unresolve(write));
    }
    for read in 0..OPEN_WRITES_MAX {
        tell(&mut run, Read(0, Some(read % 2)));
    }
    run.assert_holds();
    // Each read must have used up one write more.
    tell(&mut run, Read(0, Some(0)));
    assert_eq!(run.checker().violations()[0].evidence.kind(), NOT_LINEARIZABLE);
}

#[test]
fn beyond_its_limit_it_says_that_it_does_not_know() {
    let mut run = nothing_yet();
    for write in 0..=OPEN_WRITES_MAX {
        tell(&mut run, Submit(write, 0, write));
    }
    tell(&mut run, Read(0, Some(999)));
    assert!(run.checker().undecided().contains(InvariantId::ClientLinearizability));
    assert_eq!(run.checker().violations(), []);
}

fn encoding(steps: &[Step]) -> Vec<u64> {
    let mut words = Vec::new();
    history(steps).checker().encode(&mut words);
    words
}

#[test]
fn pasts_that_allow_the_same_futures_are_the_same_state() {
    let fresh = encoding(&[]);
    assert_eq!(encoding(&[Read(3, None)]), fresh);
    assert_eq!(encoding(&[Submit(0, 0, 1), Refuse(0)]), fresh);
    // It does not matter which slot a write has.
    let gap = [Submit(0, 0, 1), Submit(1, 0, 2), Refuse(0), Submit(2, 0, 3)];
    assert_eq!(encoding(&gap), encoding(&[Submit(0, 0, 2), Submit(1, 0, 3)]));
    // Nor in which order writes came of which nothing more will be heard.
    let unresolved = |first, second| {
        encoding(&[Submit(0, 0, first), Unresolve(0), Submit(1, 0, second), Unresolve(1)])
    };
    assert_eq!(unresolved(1, 2), unresolved(2, 1));
    // Nor in which order two values came that may each be the last.
    let overlap = [Submit(0, 0, 1), Submit(1, 0, 2)];
    let ends = |first, second| encoding(&[&overlap[..], &[Accept(first), Accept(second)]].concat());
    assert_eq!(ends(0, 1), ends(1, 0));
    // Nor whether a write was there already when a value was put, if it is for another key, or
    // nobody will ever say that it took effect.
    for late in [&[Submit(0, 1, 1)][..], &[Submit(0, 0, 1), Unresolve(0)]] {
        let put = [Submit(1, 0, 2), Accept(1)];
        assert_eq!(encoding(&[late, &put].concat()), encoding(&[&put, late].concat()));
    }
    // Nor that there was one, once all have seen it.
    let spent = [Submit(0, 0, 1), Unresolve(0), Read(0, Some(1))];
    assert_eq!(encoding(&spent), encoding(&[Submit(0, 0, 1), Read(0, Some(1)), Unresolve(0)]));
}

#[test]
fn pasts_that_allow_different_futures_are_different_states() {
    let waits = [Submit(0, 0, 1)];
    let pasts: [&[Step]; 11] = [
        &[],
        &waits,
        &[Submit(0, 0, 2)],
        &[Submit(0, 1, 1)],
        &[Submit(0, 0, 1), Unresolve(0)],
        &[Submit(0, 0, 1), Accept(0)],
        &[Submit(0, 1, 1), Accept(0)],
        &[Submit(0, 0, 1), Read(0, Some(1))],
        // May be overwritten unseen by the value that is there, or not.
        &[Submit(0, 0, 1), Submit(1, 0, 2), Accept(1), Read(0, Some(2))],
        &[Submit(1, 0, 2), Accept(1), Read(0, Some(2)), Submit(0, 0, 1)],
        &[Submit(0, 0, 1), Unresolve(0), Submit(1, 0, 1), Unresolve(1)],
    ];
    for (index, past) in pasts.iter().enumerate() {
        for other in &pasts[..index] {
            assert_ne!(encoding(past), encoding(other), "{past:?} and {other:?}");
        }
    }
}
