//! `--check-determinism` finds a model that does not give the same for the same.

use highwater::invariants::{Observer, Selection, Sink};
use highwater::isr::{IsrModel, Operation, Outcome, Partition, Settings};
use highwater::model::Model;
use highwater::scenario::generate::Generator;
use highwater::search::{Campaign, Ended, Source, Stop};
use std::sync::atomic::{AtomicU64, Ordering};

/// The partition, but one tick in a thousand is swallowed.
#[derive(Default)]
struct Flaky {
    inner: IsrModel,
    applied: AtomicU64,
    one_in: u64,
}

impl Model for Flaky {
    type Settings = Settings;
    type State = Partition;
    type Operation = Operation;
    type Outcome = Outcome;
    const NAME: &'static str = "flaky";
    const KINDS: &'static [&'static str] = IsrModel::KINDS;
    const OUTCOMES: &'static [&'static str] = IsrModel::OUTCOMES;
    const BRANCHES: &'static [&'static str] = IsrModel::BRANCHES;

    fn kind(operation: Operation) -> usize {
        IsrModel::kind(operation)
    }
    fn outcome(outcome: Outcome) -> usize {
        IsrModel::outcome(outcome)
    }
    fn is_refusal(outcome: Self::Outcome) -> bool {
        IsrModel::is_refusal(outcome)
    }

    fn branches(state: &Partition) -> u64 {
        IsrModel::branches(state)
    }
    fn initial(&self, settings: &Settings) -> Partition {
        self.inner.initial(settings)
    }
    fn enabled(&self, state: &Partition, enabled: &mut Vec<Operation>) {
        self.inner.enabled(state, enabled);
    }
    fn apply<O: Observer>(
        &self,
        state: &mut Partition,
        operation: Operation,
        observer: &mut O,
    ) -> Outcome {
        let is_swallowed =
            self.applied.fetch_add(1, Ordering::Relaxed) % self.one_in == self.one_in - 1;
        if is_swallowed { Outcome::Done } else { self.inner.apply(state, operation, observer) }
    }
    fn is_halted(&self, state: &Partition) -> bool {
        self.inner.is_halted(state)
    }
    fn settle<O: Observer>(&self, state: &mut Partition, observer: &mut O) {
        self.inner.settle(state, observer);
    }
    fn recover<O: Observer>(&self, state: &mut Partition, observer: &mut O) {
        self.inner.recover(state, observer);
    }
    fn encode(&self, state: &Partition, sink: &mut impl Sink) {
        self.inner.encode(state, sink);
    }
}

struct Sequences(Generator);

impl Source<Flaky> for Sequences {
    fn draw(&self, seed: u64, index: u64, operations: &mut Vec<Operation>) -> Settings {
        self.0.draw(seed, index, operations)
    }
}

fn ended(one_in: u64) -> Ended {
    let model = Flaky { one_in, ..Flaky::default() };
    let campaign = Campaign {
        model: &model,
        source: &Sequences(Generator::default()),
        seed: 0,
        range: 0..500,
        selection: Selection::ALL,
        stop: Stop::AtEnd,
        check_determinism: true,
    };
    campaign.run(|| true, |_| ()).ended
}

#[test]
fn a_model_that_swallows_an_operation_now_and_then_is_found_out() {
    assert!(matches!(ended(1_001), Ended::Nondeterministic(_)));
    assert_eq!(ended(u64::MAX), Ended::Complete);
}
