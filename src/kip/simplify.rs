//! What is simpler than a sequence of steps, for shrinking.

use crate::kip::model::KipModel;
use crate::kip::state::KipSettings;
use crate::kip::step::Step;
use crate::model::Simplify;

/// The number of a replica once `node` is gone; `None` if it was that one.
pub(super) fn moved_up(replica: u8, node: usize) -> Option<u8> {
    match usize::from(replica) {
        number if number == node => None,
        number if number > node => Some(replica - 1),
        _ => Some(replica),
    }
}

/// Numbers replicas in the order of their first use.
#[derive(Default)]
pub(super) struct FirstUse(Vec<u8>);

impl FirstUse {
    pub(super) fn number(&mut self, replica: u8) -> u8 {
        let known = self.0.iter().position(|&other| other == replica);
        known.unwrap_or_else(|| {
            self.0.push(replica);
            self.0.len() - 1
        }) as u8
    }
}

impl Step {
    /// The same step of other replicas; `None` if one of them has none.
    pub(super) fn map_replicas(self, mut map: impl FnMut(u8) -> Option<u8>) -> Option<Self> {
        Some(match self {
            Self::ControllerShrinkIsr { replica } => {
                Self::ControllerShrinkIsr { replica: map(replica)? }
            }
            Self::ControllerElectLeader { replica } => {
                Self::ControllerElectLeader { replica: map(replica)? }
            }
            Self::BecomeLeader { .. } => self,
            Self::LeaderExpandIsr { leader, replica } => {
                Self::LeaderExpandIsr { leader: map(leader)?, replica: map(replica)? }
            }
            Self::LeaderShrinkIsr { leader, replica } => {
                Self::LeaderShrinkIsr { leader: map(leader)?, replica: map(replica)? }
            }
            Self::LeaderWrite { leader } => Self::LeaderWrite { leader: map(leader)? },
            Self::LeaderAdvanceHw { leader } => Self::LeaderAdvanceHw { leader: map(leader)? },
            Self::BecomeFollower { replica, epoch } => {
                Self::BecomeFollower { replica: map(replica)?, epoch }
            }
            Self::FollowerFetch { follower, leader } => {
                Self::FollowerFetch { follower: map(follower)?, leader: map(leader)? }
            }
            Self::FollowerTruncate { follower, leader } => {
                Self::FollowerTruncate { follower: map(follower)?, leader: map(leader)? }
            }
        })
    }

    /// The decision that it speaks of.
    pub(super) const fn epoch(self) -> Option<u8> {
        match self {
            Self::BecomeLeader { epoch } | Self::BecomeFollower { epoch, .. } => Some(epoch),
            _ => None,
        }
    }

    /// The same step by another decision.
    #[must_use]
    const fn with_epoch(mut self, other: u8) -> Self {
        if let Self::BecomeLeader { epoch } | Self::BecomeFollower { epoch, .. } = &mut self {
            *epoch = other;
        }
        self
    }
}

impl Simplify for KipModel {
    fn complexity(settings: &KipSettings, steps: &[Step]) -> u64 {
        let epochs: u64 = steps.iter().filter_map(|step| step.epoch()).map(u64::from).sum();
        let KipSettings { replicas, log_size, max_records, max_leader_epoch, .. } = *settings;
        let constants = replicas as u64 * 8
            + u64::from(log_size)
            + u64::from(max_records)
            + u64::from(max_leader_epoch);
        epochs * 64 + constants
    }

    fn simpler_operations(step: Step, simpler: &mut Vec<Step>) {
        if let Some(epoch) = step.epoch() {
            simpler.extend((0..epoch).map(|lower| step.with_epoch(lower)));
        }
    }

    /// There is no second phase.
    fn written_out_recovery(_settings: &KipSettings) -> Vec<Step> {
        Vec::new()
    }

    fn merged(_first: Step, _second: Step) -> Option<Step> {
        None
    }

    fn simpler_settings(settings: &KipSettings, simpler: &mut Vec<KipSettings>) {
        let KipSettings { log_size, max_records, max_leader_epoch, .. } = *settings;
        simpler.extend((1..log_size).map(|log_size| KipSettings { log_size, ..*settings }));
        simpler
            .extend((1..max_records).map(|max_records| KipSettings { max_records, ..*settings }));
        let epochs = 0..max_leader_epoch;
        simpler.extend(epochs.map(|epoch| KipSettings { max_leader_epoch: epoch, ..*settings }));
    }

    fn without_node(
        settings: &KipSettings,
        steps: &[Step],
        node: usize,
    ) -> Option<(KipSettings, Vec<Step>)> {
        if settings.replicas < 2 || node >= settings.replicas {
            return None;
        }
        let smaller = KipSettings { replicas: settings.replicas - 1, ..*settings };
        let steps =
            steps.iter().filter_map(|step| step.map_replicas(|replica| moved_up(replica, node)));
        Some((smaller, steps.collect()))
    }

    fn renamed(settings: &KipSettings, steps: &[Step]) -> (KipSettings, Vec<Step>) {
        let mut replicas = FirstUse::default();
        let steps = steps
            .iter()
            .filter_map(|step| step.map_replicas(|replica| Some(replicas.number(replica))));
        (*settings, steps.collect())
    }
}
