//! Checking only what changed finds exactly what checking everything finds.

use highwater::invariants::{
    Checker, Entry, Event, LeaderEpoch, NodeId, NodeSet, Observer, Offset, Selection, Table, View,
};
use highwater::isr::{IsrModel, Rules, Variant};
use highwater::model::Model;
use highwater::scenario::generate::Generator;

/// The same view without the revision numbers that let a checker skip what has not changed.
struct LookAtEverything<'v, V>(&'v V);

impl<V: View> View for LookAtEverything<'_, V> {
    fn nodes(&self) -> NodeSet {
        self.0.nodes()
    }
    fn alive(&self) -> NodeSet {
        self.0.alive()
    }
    fn leader(&self) -> Option<NodeId> {
        self.0.leader()
    }
    fn leader_epoch(&self) -> LeaderEpoch {
        self.0.leader_epoch()
    }
    fn isr(&self) -> NodeSet {
        self.0.isr()
    }
    fn min_insync_replicas(&self) -> usize {
        self.0.min_insync_replicas()
    }
    fn high_watermark(&self) -> Offset {
        self.0.high_watermark()
    }
    fn log(&self, node: NodeId) -> &[Entry] {
        self.0.log(node)
    }
    fn applied_high_watermark(&self, node: NodeId) -> Offset {
        self.0.applied_high_watermark(node)
    }
    fn durable(&self, node: NodeId) -> Option<&[Entry]> {
        self.0.durable(node)
    }
    fn data(&self, node: NodeId) -> Option<&Table> {
        self.0.data(node)
    }
    fn committed_data(&self, node: NodeId) -> Option<&Table> {
        self.0.committed_data(node)
    }
}

struct Both {
    incremental: Checker,
    full: Checker,
}

impl Observer for Both {
    fn observe<V: View>(&mut self, event: Event, view: &V) {
        self.incremental.observe(event, view);
        self.full.observe(event, &LookAtEverything(view));
        assert_eq!(self.incremental.violations(), self.full.violations(), "after {event:?}");
    }
}

/// Runs sequences under both; how many violations there were.
fn violations_of(rules: Rules, sequences: u64) -> usize {
    let (model, source) = (IsrModel::default(), Generator { rules, ..Generator::default() });
    let mut violations = 0;
    let mut operations = Vec::new();
    for index in 0..sequences {
        let settings = source.draw(11, index, &mut operations);
        let mut state = model.initial(&settings);
        let mut both = Both {
            incremental: Checker::new(Selection::ALL, &state),
            full: Checker::new(Selection::ALL, &LookAtEverything(&state)),
        };
        for &operation in &operations {
            model.apply(&mut state, operation, &mut both);
            both.observe(Event::OperationEnded, &state);
            if model.is_halted(&state) {
                break;
            }
        }
        if !model.is_halted(&state) {
            model.settle(&mut state, &mut both);
            model.recover(&mut state, &mut both);
        }
        violations += both.full.violations().len();
    }
    violations
}

#[test]
fn incremental_and_full_checking_agree_after_every_event_of_published() {
    assert!(violations_of(Rules::of(Variant::Published), 5_000) > 1_000);
}

#[test]
fn they_agree_after_every_event_of_hardened_and_of_hardened_without_each_guard() {
    assert_eq!(violations_of(Rules::of(Variant::Hardened), 2_000), 0);
    let without = |guard| violations_of(Rules::of(Variant::Hardened).without(guard), 500);
    assert!(Variant::Hardened.guards().iter().map(without).sum::<usize>() > 500);
}
