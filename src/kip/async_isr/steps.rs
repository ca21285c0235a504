//! The steps of `AsyncIsr`: when each is enabled, and what it does.

use crate::kip::async_isr::state::{AsyncIsrState, HwOver, LEADER, Versioned};
use crate::kip::names::{replica_name, replica_names};
use crate::kip::state::NOBODY;
use serde::{Deserialize, Serialize};

/// A step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
#[allow(missing_docs)]
pub enum AsyncIsrStep {
    /// The controller takes a replica out of the ISR.
    ControllerShrinkIsr {
        #[serde(with = "replica_name")]
        replica: u8,
    },
    /// The controller does what the leader has asked for.
    ControllerHandleRequest {
        #[serde(with = "replica_names")]
        isr: u8,
    },
    /// The leader asks for a replica to be taken out.
    LeaderRequestShrink {
        #[serde(with = "replica_name")]
        replica: u8,
    },
    /// The leader asks for a replica to be taken in.
    LeaderRequestExpand {
        #[serde(with = "replica_name")]
        replica: u8,
    },
    /// The leader appends a record.
    LeaderWrite,
    /// The leader hears of a decision.
    LeaderHandleUpdate {
        #[serde(with = "replica_names")]
        isr: u8,
        version: u8,
    },
    /// A follower fetches the next record.
    FollowerReplicate {
        #[serde(with = "replica_name")]
        replica: u8,
    },
}

impl AsyncIsrStep {
    /// The name of each kind, by number.
    pub const KINDS: [&'static str; 7] = [
        "controller_shrink_isr",
        "controller_handle_request",
        "leader_request_shrink",
        "leader_request_expand",
        "leader_write",
        "leader_handle_update",
        "follower_replicate",
    ];

    /// What each kind is, by number.
    pub const STATEMENTS: [&'static str; 7] = [
        "the controller takes a replica out of the ISR",
        "the controller does what the leader has asked for",
        "the leader asks for a replica to be taken out",
        "the leader asks for a replica to be taken in",
        "the leader appends a record",
        "the leader hears of a decision",
        "a follower fetches the next record",
    ];
}

impl AsyncIsrState {
    pub(super) fn replicas(&self) -> std::ops::Range<u8> {
        0..self.settings.replicas as u8
    }

    /// The least offset of those that count.
    pub(super) fn high_watermark(&self) -> u8 {
        let members = match self.settings.hw_over {
            HwOver::Both => self.leader.isr | self.pending_isr,
            HwOver::Proposed if self.pending_isr != 0 => self.pending_isr,
            HwOver::Committed | HwOver::Proposed => self.leader.isr,
        };
        let offsets = self.replicas().filter(|replica| members & 1 << replica != 0);
        offsets.map(|replica| self.offsets[usize::from(replica)]).min().unwrap_or(0)
    }

    fn may_decide(&self) -> bool {
        self.controller.version < self.settings.max_version
    }

    pub(super) fn is_enabled(&self, step: AsyncIsrStep) -> bool {
        let offset = |replica: u8| self.offsets[usize::from(replica)];
        match step {
            AsyncIsrStep::ControllerShrinkIsr { replica } => {
                replica != LEADER && self.controller.isr & 1 << replica != 0 && self.may_decide()
            }
            AsyncIsrStep::ControllerHandleRequest { isr } => {
                let version = self.controller.version;
                self.requests.contains(Versioned { isr, version }) && self.may_decide()
            }
            AsyncIsrStep::LeaderRequestShrink { replica } => {
                replica != LEADER && self.leader.isr & 1 << replica != 0
            }
            AsyncIsrStep::LeaderRequestExpand { replica } => {
                self.leader.isr & 1 << replica == 0 && offset(replica) >= self.high_watermark()
            }
            AsyncIsrStep::LeaderWrite => offset(LEADER) < self.settings.max_offset,
            AsyncIsrStep::LeaderHandleUpdate { isr, version } => {
                self.updates.contains(Versioned { isr, version }) && version > self.leader.version
            }
            AsyncIsrStep::FollowerReplicate { replica } => {
                replica != LEADER && offset(replica) < offset(LEADER)
            }
        }
    }

    pub(super) fn take(&mut self, step: AsyncIsrStep) {
        match step {
            AsyncIsrStep::ControllerShrinkIsr { replica } => {
                self.decide(self.controller.isr & !(1 << replica));
            }
            AsyncIsrStep::ControllerHandleRequest { isr } => self.decide(isr),
            AsyncIsrStep::LeaderRequestShrink { replica } => {
                self.propose(self.leader.isr & !(1 << replica));
            }
            AsyncIsrStep::LeaderRequestExpand { replica } => {
                self.propose(self.leader.isr | 1 << replica);
            }
            AsyncIsrStep::LeaderWrite => self.offsets[usize::from(LEADER)] += 1,
            AsyncIsrStep::LeaderHandleUpdate { isr, version } => {
                self.leader = Versioned { isr, version };
                (self.pending_isr, self.pending_version) = (0, NOBODY);
            }
            AsyncIsrStep::FollowerReplicate { replica } => self.offsets[usize::from(replica)] += 1,
        }
    }

    fn decide(&mut self, isr: u8) {
        self.controller = Versioned { isr, version: self.controller.version + 1 };
        self.updates.insert(self.controller);
    }

    fn propose(&mut self, isr: u8) {
        self.requests.insert(Versioned { isr, version: self.leader.version });
        self.pending_isr |= isr;
        self.pending_version = self.leader.version;
    }
}
