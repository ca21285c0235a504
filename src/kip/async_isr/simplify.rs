//! What is simpler than a sequence of steps of `AsyncIsr`, for shrinking.

use crate::kip::async_isr::model::AsyncIsrModel;
use crate::kip::async_isr::state::{AsyncIsrSettings, LEADER};
use crate::kip::async_isr::steps::AsyncIsrStep;
use crate::kip::simplify::{FirstUse, moved_up};
use crate::kip::state::members;
use crate::model::Simplify;

impl AsyncIsrStep {
    /// The same step of other replicas; `None` if one has none.
    pub(super) fn map_replicas(self, mut map: impl FnMut(u8) -> Option<u8>) -> Option<Self> {
        let set = |isr: u8, map: &mut dyn FnMut(u8) -> Option<u8>| {
            members(isr).filter_map(map).fold(0, |set, member| set | 1 << member)
        };
        Some(match self {
            Self::ControllerShrinkIsr { replica } => {
                Self::ControllerShrinkIsr { replica: map(replica)? }
            }
            Self::ControllerHandleRequest { isr } => {
                Self::ControllerHandleRequest { isr: set(isr, &mut map) }
            }
            Self::LeaderRequestShrink { replica } => {
                Self::LeaderRequestShrink { replica: map(replica)? }
            }
            Self::LeaderRequestExpand { replica } => {
                Self::LeaderRequestExpand { replica: map(replica)? }
            }
            Self::LeaderWrite => self,
            Self::LeaderHandleUpdate { isr, version } => {
                Self::LeaderHandleUpdate { isr: set(isr, &mut map), version }
            }
            Self::FollowerReplicate { replica } => {
                Self::FollowerReplicate { replica: map(replica)? }
            }
        })
    }
}

impl Simplify for AsyncIsrModel {
    fn complexity(settings: &AsyncIsrSettings, _steps: &[AsyncIsrStep]) -> u64 {
        let AsyncIsrSettings { replicas, max_offset, max_version, .. } = *settings;
        replicas as u64 * 8 + u64::from(max_offset) + u64::from(max_version)
    }

    fn simpler_operations(_step: AsyncIsrStep, _simpler: &mut Vec<AsyncIsrStep>) {}

    /// There is no second phase.
    fn written_out_recovery(_settings: &AsyncIsrSettings) -> Vec<AsyncIsrStep> {
        Vec::new()
    }

    fn merged(_first: AsyncIsrStep, _second: AsyncIsrStep) -> Option<AsyncIsrStep> {
        None
    }

    fn simpler_settings(settings: &AsyncIsrSettings, simpler: &mut Vec<AsyncIsrSettings>) {
        let AsyncIsrSettings { max_offset, max_version, .. } = *settings;
        let offsets = 1..max_offset;
        simpler.extend(offsets.map(|max_offset| AsyncIsrSettings { max_offset, ..*settings }));
        let versions = 0..max_version;
        simpler.extend(versions.map(|max_version| AsyncIsrSettings { max_version, ..*settings }));
    }

    fn without_node(
        settings: &AsyncIsrSettings,
        steps: &[AsyncIsrStep],
        node: usize,
    ) -> Option<(AsyncIsrSettings, Vec<AsyncIsrStep>)> {
        if settings.replicas < 2 || node == usize::from(LEADER) || node >= settings.replicas {
            return None;
        }
        let smaller = AsyncIsrSettings { replicas: settings.replicas - 1, ..*settings };
        let steps =
            steps.iter().filter_map(|step| step.map_replicas(|replica| moved_up(replica, node)));
        Some((smaller, steps.collect()))
    }

    fn renamed(
        settings: &AsyncIsrSettings,
        steps: &[AsyncIsrStep],
    ) -> (AsyncIsrSettings, Vec<AsyncIsrStep>) {
        // The leader is always the same.
        let mut replicas = FirstUse::default();
        replicas.number(LEADER);
        // An ISR names many at once; who has a number by then is named first.
        let named = steps
            .iter()
            .filter_map(|step| step.map_replicas(|replica| Some(replicas.number(replica))));
        let steps = named.collect();
        (*settings, steps)
    }
}
