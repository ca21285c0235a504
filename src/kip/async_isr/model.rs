//! `AsyncIsr` as a [`Model`] that engines drive.

use crate::kip::async_isr::state::{AsyncIsrSettings, AsyncIsrState, LEADER, Messages, Versioned};
use crate::kip::async_isr::steps::AsyncIsrStep;
use crate::kip::state::nodes_of;
use crate::kip::step::KipOutcome;
use crate::model::Model;
use highwater_invariants::{NodeId, Observer, Renaming, Sink};

/// The model `kip:async-isr`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AsyncIsrModel;

impl Model for AsyncIsrModel {
    type Settings = AsyncIsrSettings;
    type State = AsyncIsrState;
    type Operation = AsyncIsrStep;
    type Outcome = KipOutcome;
    const NAME: &'static str = "kip:async-isr";
    const KINDS: &'static [&'static str] = &AsyncIsrStep::KINDS;
    const OUTCOMES: &'static [&'static str] = &["taken", "refused: not enabled"];
    const BRANCHES: &'static [&'static str] = &[];

    fn kind(step: AsyncIsrStep) -> usize {
        match step {
            AsyncIsrStep::ControllerShrinkIsr { .. } => 0,
            AsyncIsrStep::ControllerHandleRequest { .. } => 1,
            AsyncIsrStep::LeaderRequestShrink { .. } => 2,
            AsyncIsrStep::LeaderRequestExpand { .. } => 3,
            AsyncIsrStep::LeaderWrite => 4,
            AsyncIsrStep::LeaderHandleUpdate { .. } => 5,
            AsyncIsrStep::FollowerReplicate { .. } => 6,
        }
    }

    fn outcome(outcome: KipOutcome) -> usize {
        outcome as usize
    }

    fn is_refusal(outcome: KipOutcome) -> bool {
        outcome == KipOutcome::NotEnabled
    }

    fn branches(_state: &AsyncIsrState) -> u64 {
        0
    }

    fn initial(&self, settings: &AsyncIsrSettings) -> AsyncIsrState {
        AsyncIsrState::initial(settings)
    }

    fn enabled(&self, state: &AsyncIsrState, enabled: &mut Vec<AsyncIsrStep>) {
        let of_replicas = state.replicas().flat_map(|replica| {
            [
                AsyncIsrStep::ControllerShrinkIsr { replica },
                AsyncIsrStep::LeaderRequestShrink { replica },
                AsyncIsrStep::LeaderRequestExpand { replica },
                AsyncIsrStep::FollowerReplicate { replica },
            ]
        });
        let requests = state.requests.iter().filter(|one| one.version == state.controller.version);
        let requests =
            requests.map(|message| AsyncIsrStep::ControllerHandleRequest { isr: message.isr });
        let updates = state
            .updates
            .iter()
            .map(|Versioned { isr, version }| AsyncIsrStep::LeaderHandleUpdate { isr, version });
        let all = of_replicas.chain([AsyncIsrStep::LeaderWrite]).chain(requests).chain(updates);
        enabled.extend(all.filter(|&step| state.is_enabled(step)));
    }

    fn apply<O: Observer>(
        &self,
        state: &mut AsyncIsrState,
        step: AsyncIsrStep,
        _observer: &mut O,
    ) -> KipOutcome {
        if !state.is_enabled(step) {
            return KipOutcome::NotEnabled;
        }
        state.take(step);
        KipOutcome::Taken
    }

    fn is_halted(&self, _state: &AsyncIsrState) -> bool {
        false
    }

    fn settle<O: Observer>(&self, _state: &mut AsyncIsrState, _observer: &mut O) {}

    fn recover<O: Observer>(&self, _state: &mut AsyncIsrState, _observer: &mut O) {}

    fn encode(&self, state: &AsyncIsrState, sink: &mut impl Sink) {
        self.encode_renamed(state, &Renaming::identity(state.settings.replicas), sink);
    }

    /// The leader is always the same; its followers are alike.
    fn symmetries(&self, settings: &AsyncIsrSettings) -> Result<Vec<Renaming>, String> {
        let leader = NodeId::new(LEADER.into());
        let all = Renaming::all(settings.replicas).into_iter();
        Ok(all.filter(|renaming| renaming.node(leader) == leader).collect())
    }

    fn encode_renamed(&self, state: &AsyncIsrState, renaming: &Renaming, sink: &mut impl Sink) {
        let set = |isr| u64::from(renaming.set(nodes_of(isr)).bits());
        let versioned = |one: Versioned| set(one.isr) << 4 | u64::from(one.version);
        let messages = |messages: Messages| {
            messages.iter().fold(0, |all, message| {
                all | 1 << (u32::from(message.version) * 16 + set(message.isr) as u32)
            })
        };
        let offsets = renaming.in_new_order().map(|node| state.offsets[node.index()]);
        let offsets = offsets.fold(0, |word, offset| word << 4 | u64::from(offset));
        let pending = set(state.pending_isr) << 4 | u64::from(state.pending_version);
        sink.word(
            versioned(state.controller) << 40
                | versioned(state.leader) << 32
                | pending << 16
                | offsets,
        );
        sink.word(messages(state.requests));
        sink.word(messages(state.updates));
    }
}
