//! The generator reaches everything that it should.

use highwater::invariants::{InvariantId, Selection};
use highwater::isr::{Branch, IsrModel, Operation, Outcome, Rules, Variant};
use highwater::model::Model;
use highwater::scenario::generate::Generator;
use highwater::search::{Campaign, Results, Stop};

fn run(generator: &Generator, sequences: u64) -> Results {
    let campaign = Campaign {
        model: &IsrModel::default(),
        source: generator,
        seed: 1,
        range: 0..sequences,
        selection: Selection::ALL,
        stop: Stop::AtEnd,
        check_determinism: false,
    };
    campaign.run(|| true, |_| ())
}

#[test]
fn ten_thousand_sequences_of_each_variant_reach_every_operation_branch_and_refusal_that_can_be_reached()
 {
    let mut tally = run(&Generator::default(), 10_000).tally;
    let hardened = Generator { rules: Rules::of(Variant::Hardened), ..Generator::default() };
    tally.add(&run(&hardened, 10_000).tally);
    let outcomes = IsrModel::OUTCOMES.len();
    for (kind, name) in Operation::NAMES.iter().enumerate() {
        let applied: u64 = tally.outcomes[kind * outcomes..(kind + 1) * outcomes].iter().sum();
        assert!(applied > 1_000, "{name}: {applied}");
    }
    for (outcome, name) in Outcome::KINDS.iter().enumerate() {
        let count: u64 = tally.outcomes.iter().skip(outcome).step_by(outcomes).sum();
        // Ids name nodes that there are, and a sequence has few names: neither can happen here.
        let cannot_happen = ["refused: unknown node", "refused: too many names"].contains(name);
        assert_eq!(count == 0, cannot_happen, "{name}: {count}");
    }
    for (branch, name) in Branch::ALL.iter().zip(Branch::WORDS) {
        let count = tally.branches[*branch as usize];
        // In one leader epoch there is one leader, and only it sends: a packet of the current epoch
        // comes from the current leader. Faults of the network change no packet.
        let cannot_happen = *branch == Branch::NonCurrentLeaderRejected;
        assert_eq!(count == 0, cannot_happen, "{name}: {count}");
    }
    assert!(
        tally.tested[..InvariantId::ALL.len()].iter().all(|&tested| tested > 1_000),
        "{:?}",
        tally.tested
    );
    assert_eq!(tally.undecided.iter().sum::<u64>(), 0);
}

#[test]
fn the_first_round_of_a_default_search_tests_every_invariant() {
    let tally = run(&Generator::default(), 512).tally;
    assert!(
        tally.tested[..InvariantId::ALL.len()].iter().all(|&tested| tested > 0),
        "{:?}",
        tally.tested
    );
}
