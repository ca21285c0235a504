//! For tests only: a hand-made partition, and a run that tells checkers what happens to it.

mod partition;

pub use partition::{Look, Partition};

use crate::vocabulary::{
    Entry, Event, Fact, KeyId, LeaderEpoch, Names, NodeId, NodeSet, Observer, ValueId,
};
use crate::{Checker, InvariantId, Selection};

pub const fn node(index: usize) -> NodeId {
    NodeId::new(index)
}

pub fn nodes<const N: usize>(indexes: [usize; N]) -> NodeSet {
    indexes.into_iter().map(node).collect()
}

pub const fn value(index: usize) -> ValueId {
    match ValueId::from_index(index) {
        Some(value) => value,
        None => panic!("values are used up"),
    }
}

pub const fn entry(epoch: u32, key: u16, value_index: usize) -> Entry {
    Entry::new(LeaderEpoch(epoch), KeyId(key), value(value_index))
}

/// A partition under two checkers, one that is told of revisions and one that is not. They must
/// agree at all times.
pub struct Run {
    pub partition: Partition,
    checker: Checker,
    diligent: Checker,
}

impl Run {
    /// Checks one invariant of `partition`.
    pub fn new(invariant: InvariantId, partition: Partition) -> Self {
        Self::of(Selection::only(invariant), partition)
    }

    pub fn of(selection: Selection, partition: Partition) -> Self {
        let checker =
            |has_revisions| Checker::new(selection, &Look { partition: &partition, has_revisions });
        let (checker, diligent) = (checker(true), checker(false));
        Self { partition, checker, diligent }
    }

    /// `event` has just happened to the partition.
    #[track_caller]
    pub fn tell(&mut self, event: Event) {
        let look = |has_revisions| Look { partition: &self.partition, has_revisions };
        self.checker.observe(event, &look(true));
        self.diligent.observe(event, &look(false));
        assert_eq!(self.checker.violations(), self.diligent.violations(), "revisions hid a change");
    }

    /// An operation has ended: the whole state is checked.
    #[track_caller]
    pub fn check(&mut self) {
        self.tell(Event::OperationEnded);
    }

    /// Moves the high watermark, and tells.
    #[track_caller]
    pub fn commit(&mut self, high_watermark: u32) {
        let from = self.partition.high_watermark;
        self.partition.commit(high_watermark);
        self.tell(Event::HighWatermarkAdvanced { from });
    }

    /// The checker that is told of revisions.
    pub fn checker(&self) -> &Checker {
        &self.checker
    }

    /// How often the premises came up.
    pub fn tested(&self) -> u64 {
        self.checker.tested().iter().sum()
    }

    /// Neither checker has tested anything that the other has not.
    #[track_caller]
    pub fn assert_tested_alike(&self) {
        let is_tested = |checker: &Checker| checker.tested().map(|count| count > 0);
        assert_eq!(is_tested(&self.checker), is_tested(&self.diligent));
    }

    /// The run has violated its invariant, once, in this way and in these words.
    #[track_caller]
    pub fn assert_violated(&self, kind: &str, words: &str) {
        let [violation] = self.checker.violations() else {
            panic!("one violation was expected, not {:?}", self.checker.violations());
        };
        let evidence = &violation.evidence;
        assert_eq!((evidence.kind(), evidence.in_words(&Plain).as_str()), (kind, words));
        assert_eq!(evidence.labels_without_fact(), [""; 0]);
        assert!(self.tested() > 0, "what is violated has been tested");
    }

    /// The premise came up, and the invariant holds.
    #[track_caller]
    pub fn assert_holds(&self) {
        self.assert_not_violated();
        assert!(self.tested() > 0, "the premise never came up");
    }

    /// The premise never came up.
    #[track_caller]
    pub fn assert_untested(&self) {
        self.assert_not_violated();
        assert_eq!(self.tested(), 0, "the premise came up");
    }

    #[track_caller]
    fn assert_not_violated(&self) {
        assert_eq!(self.checker.violations(), []);
        assert!(self.checker.undecided().is_empty());
    }
}

/// node-1, k0, v0.
pub struct Plain;

impl Names for Plain {
    fn node(&self, node: NodeId) -> String {
        format!("node-{}", node.index() + 1)
    }

    fn key(&self, key: KeyId) -> String {
        format!("k{}", key.0)
    }

    fn value(&self, value: ValueId) -> String {
        format!("v{}", value.index())
    }
}

/// Numbers that look random, the same each time (Knuth's MMIX generator).
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, bound: usize) -> usize {
        let Self(state) = self;
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((*state >> 33) as usize) % bound
    }

    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

#[test]
fn facts_are_worded_with_the_names_of_the_user() {
    let words = |fact: Fact| fact.in_words(&Plain);
    assert_eq!(words(Fact::Nodes(nodes([2, 0]))), "{node-1, node-3}");
    assert_eq!(words(Fact::Entry(Some(entry(3, 1, 7)))), "k1=v7 of epoch 3");
    assert_eq!(words(Fact::Entry(None)), "nothing");
    assert_eq!(words(Fact::Value(None)), "nothing");
    assert_eq!(words(Fact::LeaderEpoch(LeaderEpoch(4))), "4");
}
