//! The partition as a [`Model`] that engines drive.

use crate::isr::branch::Branch;
use crate::isr::encode::encode;
use crate::isr::operation::{Operation, Outcome};
use crate::isr::partition::Partition;
use crate::isr::settings::Settings;
use crate::isr::trace::{Observed, Trace, Traced};
use crate::model::Model;
use crate::sim::Untraced;
use highwater_invariants::{
    AckLevel, KeyId, NodeSet, Observer, ReadLevel, Renaming, Sink, Unobserved, ValueId, View,
};
use std::cell::RefCell;

/// The model `isr`. `keys` and `values` say which writes [`Model::enabled`] offers; scenarios may
/// use any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IsrModel {
    /// Offers writes and reads of the first so many keys.
    pub keys: u16,
    /// Which values the writes that are offered have.
    pub values: Values,
    /// Offers faults of single messages and of one direction of a link.
    pub network_faults: bool,
    /// Offers to delay a message by up to so many ticks.
    pub delay_ticks_max: u64,
}

/// Values of the writes that are offered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// The first so many.
    First(u16),
    /// One: a value that no write had before. The number of writes is part of a state's identity
    /// then.
    Fresh,
}

impl Default for IsrModel {
    fn default() -> Self {
        Self { keys: 1, values: Values::First(2), network_faults: false, delay_ticks_max: 1 }
    }
}

impl Model for IsrModel {
    type Settings = Settings;
    type State = Partition;
    type Operation = Operation;
    type Outcome = Outcome;
    const NAME: &'static str = "isr";
    const KINDS: &'static [&'static str] = &Operation::NAMES;
    const OUTCOMES: &'static [&'static str] = Outcome::KINDS;
    const BRANCHES: &'static [&'static str] = Branch::WORDS;

    #[inline]
    fn kind(operation: Operation) -> usize {
        operation.number()
    }

    #[inline]
    fn outcome(outcome: Outcome) -> usize {
        outcome.number()
    }

    const CLASSES: &'static [&'static str] = &CLASSES;

    fn parameters(&self) -> String {
        format!("{self:?}")
    }

    fn class(operation: Operation) -> usize {
        match operation {
            Operation::Crash { lose_unfsynced: true, .. } => CRASH_LOSING,
            other => other.number(),
        }
    }

    fn is_refusal(outcome: Outcome) -> bool {
        matches!(outcome, Outcome::Refused(error) if !error.is_limit())
    }

    fn branches(state: &Partition) -> u64 {
        state.branches().bits()
    }

    fn initial(&self, settings: &Settings) -> Partition {
        Partition::new(*settings, &mut Untraced)
    }

    fn offered(&self, state: &Partition, offered: &mut Vec<Operation>) {
        offered.extend(self.operations(state));
    }

    fn enabled(&self, state: &Partition, enabled: &mut Vec<Operation>) {
        let offered = self.operations(state);
        enabled.extend(offered.filter(|&operation| !is_refused(state, operation)));
    }

    #[inline]
    fn apply<O: Observer>(
        &self,
        state: &mut Partition,
        operation: Operation,
        observer: &mut O,
    ) -> Outcome {
        state.apply(operation, &mut Observed(observer))
    }

    fn is_halted(&self, state: &Partition) -> bool {
        state.is_halted()
    }

    fn settle<O: Observer>(&self, state: &mut Partition, observer: &mut O) {
        state.settle(&mut Observed(observer));
    }

    fn recover<O: Observer>(&self, state: &mut Partition, observer: &mut O) {
        state.recover(&mut Observed(observer));
    }

    fn encode(&self, state: &Partition, sink: &mut impl Sink) {
        encode(state, sink);
        self.encode_writes(state, sink);
    }

    /// Packets that are due at the same tick arrive in the order in which the leader visits its
    /// followers, and the partition is refreshed between them: a follower whose packet comes second
    /// may be dropped for lag when the first has arrived.
    fn symmetries(&self, _settings: &Settings) -> Result<Vec<Renaming>, String> {
        Err("names of nodes matter to the model isr: packets of one tick arrive in the order of \
             the configuration, and lag is looked at between them"
            .into())
    }
}

/// The kinds of operations, and crashes that lose something as a class of their own.
const CLASSES: [&str; Operation::NAMES.len() + 1] = {
    let mut classes = ["crash_losing"; Operation::NAMES.len() + 1];
    let mut index = 0;
    while index < Operation::NAMES.len() {
        classes[index] = Operation::NAMES[index];
        index += 1;
    }
    classes
};
const CRASH_LOSING: usize = Operation::NAMES.len();

impl IsrModel {
    /// Offers what an exploration usually tries: writes of fresh values, and no faults of single
    /// messages.
    pub const FRESH: Self =
        Self { keys: 1, values: Values::Fresh, network_faults: false, delay_ticks_max: 1 };

    /// A model that offers all that these operations are, on any node: to look for other sequences
    /// of them. Writes have fresh values.
    pub fn offering(operations: &[Operation]) -> Self {
        let mut model = Self::FRESH;
        for operation in operations {
            if let Some(key) = operation.key() {
                model.keys = model.keys.max(key.0.saturating_add(1));
            }
            model.network_faults |= operation.is_of_network();
            if let Operation::DelayMessage { ticks, .. } = *operation {
                model.delay_ticks_max = model.delay_ticks_max.max(ticks);
            }
        }
        model
    }

    /// Which value is fresh depends on how many writes there were.
    fn encode_writes(self, state: &Partition, sink: &mut impl Sink) {
        if self.values == Values::Fresh {
            sink.word(state.pending.submitted() as u64);
        }
    }

    fn operations(self, state: &Partition) -> impl Iterator<Item = Operation> {
        let nodes = || View::nodes(state).iter();
        let keys = move || (0..self.keys).map(KeyId);
        let values = match self.values {
            Values::First(number) => 0..usize::from(number),
            Values::Fresh => state.pending.submitted()..state.pending.submitted() + 1,
        };
        let values = move || values.clone().filter_map(ValueId::from_index);
        let writes = keys().flat_map(move |key| {
            values().flat_map(move |value| {
                [AckLevel::Leader, AckLevel::AllIsr].into_iter().flat_map(move |ack| {
                    [Operation::Write { key, value, ack }, Operation::Submit { key, value, ack }]
                })
            })
        });
        let reads = keys().flat_map(move |key| {
            let local = nodes().map(move |node| Operation::Read {
                key,
                level: ReadLevel::Local,
                node: Some(node),
            });
            let of_leader = [ReadLevel::Leader, ReadLevel::Linearizable].into_iter();
            let of_leader = of_leader.map(move |level| Operation::Read { key, level, node: None });
            let lease = nodes().map(move |node| Operation::LeaseRead { node, key });
            local.chain(of_leader).chain(lease)
        });
        let faults = nodes().flat_map(|node| {
            [
                Operation::SetReplicaSlow { node, slow: true },
                Operation::SetReplicaSlow { node, slow: false },
                Operation::Fsync { node },
                Operation::Crash { node, lose_unfsynced: false },
                Operation::Crash { node, lose_unfsynced: true },
                Operation::Restart { node },
                Operation::Isolate { node },
                Operation::Heal { node },
                Operation::ControllerElect { node },
            ]
        });
        let passing = [Operation::Tick, Operation::RunUntilIdle];
        let messages = if self.network_faults { state.in_flight() } else { 0 };
        let of_messages = (0..messages).flat_map(move |message| {
            let delays = 1..=self.delay_ticks_max;
            let delays = delays.map(move |ticks| Operation::DelayMessage { message, ticks });
            [Operation::DropMessage { message }, Operation::DuplicateMessage { message }]
                .into_iter()
                .chain(delays)
                .chain([Operation::ReorderMessage { message }])
        });
        let links = if self.network_faults { View::nodes(state) } else { NodeSet::EMPTY };
        let of_links = links.iter().flat_map(move |node| {
            links.iter().flat_map(move |peer| {
                [Operation::CutLink { node, peer }, Operation::HealLink { node, peer }]
            })
        });
        writes.chain(reads).chain(passing).chain(faults).chain(of_messages).chain(of_links)
    }
}

/// Whether the partition refuses `operation` in this state. It is asked itself, so that no second
/// copy of the rules can differ from the first.
fn is_refused(state: &Partition, operation: Operation) -> bool {
    let outcome = state.clone().apply(operation, &mut Observed(&mut Unobserved));
    IsrModel::is_refusal(outcome)
}

/// The same model, with all that happens recorded. For one run at a time.
#[derive(Debug, Default)]
pub struct TracedIsrModel {
    model: IsrModel,
    trace: RefCell<Trace>,
}

impl TracedIsrModel {
    /// All that happened, over all states that this model was applied to.
    pub fn into_trace(self) -> Trace {
        self.trace.into_inner()
    }

    /// How many events were recorded so far.
    pub fn events(&self) -> usize {
        self.trace.borrow().records().len()
    }

    fn record<O: Observer, T>(
        &self,
        observer: &mut O,
        act: impl FnOnce(&mut Traced<'_, O>) -> T,
    ) -> T {
        let trace = &mut *self.trace.borrow_mut();
        act(&mut Traced { trace, observer })
    }
}

impl Model for TracedIsrModel {
    type Settings = Settings;
    type State = Partition;
    type Operation = Operation;
    type Outcome = Outcome;
    const NAME: &'static str = IsrModel::NAME;
    const KINDS: &'static [&'static str] = IsrModel::KINDS;
    const OUTCOMES: &'static [&'static str] = IsrModel::OUTCOMES;
    const BRANCHES: &'static [&'static str] = IsrModel::BRANCHES;

    #[inline]
    fn kind(operation: Operation) -> usize {
        IsrModel::kind(operation)
    }

    #[inline]
    fn outcome(outcome: Outcome) -> usize {
        IsrModel::outcome(outcome)
    }

    const CLASSES: &'static [&'static str] = IsrModel::CLASSES;

    fn class(operation: Operation) -> usize {
        IsrModel::class(operation)
    }

    fn is_refusal(outcome: Outcome) -> bool {
        IsrModel::is_refusal(outcome)
    }

    fn branches(state: &Partition) -> u64 {
        IsrModel::branches(state)
    }

    fn initial(&self, settings: &Settings) -> Partition {
        Partition::new(*settings, &mut *self.trace.borrow_mut())
    }

    fn enabled(&self, state: &Partition, enabled: &mut Vec<Operation>) {
        self.model.enabled(state, enabled);
    }

    fn apply<O: Observer>(
        &self,
        state: &mut Partition,
        operation: Operation,
        observer: &mut O,
    ) -> Outcome {
        self.record(observer, |recorder| state.apply(operation, recorder))
    }

    fn is_halted(&self, state: &Partition) -> bool {
        self.model.is_halted(state)
    }

    fn settle<O: Observer>(&self, state: &mut Partition, observer: &mut O) {
        self.record(observer, |recorder| state.settle(recorder));
    }

    fn recover<O: Observer>(&self, state: &mut Partition, observer: &mut O) {
        self.record(observer, |recorder| state.recover(recorder));
    }

    fn encode(&self, state: &Partition, sink: &mut impl Sink) {
        self.model.encode(state, sink);
    }

    fn symmetries(&self, settings: &Settings) -> Result<Vec<Renaming>, String> {
        self.model.symmetries(settings)
    }
}
