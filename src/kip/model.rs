//! The specifications as a [`Model`] that engines drive.

use crate::kip::state::{KipSettings, KipState};
use crate::kip::step::{KipOutcome, Step};
use crate::model::Model;
use highwater_invariants::{Observer, Renaming, Sink};

/// The models `kip:truncate-to-hw` to `kip:320`; which one is in the settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KipModel;

impl Model for KipModel {
    type Settings = KipSettings;
    type State = KipState;
    type Operation = Step;
    type Outcome = KipOutcome;
    const NAME: &'static str = "kip";
    const KINDS: &'static [&'static str] = &Step::KINDS;
    const OUTCOMES: &'static [&'static str] = &["taken", "refused: not enabled"];
    const BRANCHES: &'static [&'static str] = &[];

    #[inline]
    fn kind(step: Step) -> usize {
        step.number()
    }

    #[inline]
    fn outcome(outcome: KipOutcome) -> usize {
        outcome as usize
    }

    fn is_refusal(outcome: KipOutcome) -> bool {
        outcome == KipOutcome::NotEnabled
    }

    fn branches(_state: &KipState) -> u64 {
        0
    }

    fn initial(&self, settings: &KipSettings) -> KipState {
        KipState::initial(settings)
    }

    #[inline]
    fn enabled(&self, state: &KipState, enabled: &mut Vec<Step>) {
        state.enabled(enabled);
    }

    #[inline]
    fn apply<O: Observer>(
        &self,
        state: &mut KipState,
        step: Step,
        _observer: &mut O,
    ) -> KipOutcome {
        if !state.is_enabled(step) {
            return KipOutcome::NotEnabled;
        }
        state.take(step);
        KipOutcome::Taken
    }

    #[inline]
    fn apply_offered<O: Observer>(
        &self,
        state: &mut KipState,
        step: Step,
        _observer: &mut O,
    ) -> KipOutcome {
        debug_assert!(state.is_enabled(step), "{step:?} is offered and not enabled");
        state.take(step);
        KipOutcome::Taken
    }

    fn is_halted(&self, _state: &KipState) -> bool {
        false
    }

    /// There is nothing in flight.
    fn settle<O: Observer>(&self, _state: &mut KipState, _observer: &mut O) {}

    /// Nothing ever fails for good: every step may still be taken.
    fn recover<O: Observer>(&self, _state: &mut KipState, _observer: &mut O) {}

    #[inline]
    fn encode(&self, state: &KipState, sink: &mut impl Sink) {
        state.encode(sink);
    }

    fn symmetries(&self, settings: &KipSettings) -> Result<Vec<Renaming>, String> {
        Ok(Renaming::all(settings.replicas))
    }

    fn encode_renamed(&self, state: &KipState, renaming: &Renaming, sink: &mut impl Sink) {
        state.encode_renamed(renaming, sink);
    }
}
