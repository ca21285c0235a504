//! The steps: what the controller, leaders and followers do.

use crate::kip::names::replica_name;
use serde::{Deserialize, Serialize};

/// An atomic step. Replicas by number, epochs from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
#[allow(missing_docs)]
pub enum Step {
    /// The controller takes a replica out of the ISR; a leader steps down.
    ControllerShrinkIsr {
        #[serde(with = "replica_name")]
        replica: u8,
    },
    /// The controller makes an ISR member the leader.
    ControllerElectLeader {
        #[serde(with = "replica_name")]
        replica: u8,
    },
    /// A replica learns of the decision by which it leads.
    BecomeLeader { epoch: u8 },
    /// A leader takes a replica into the ISR.
    LeaderExpandIsr {
        #[serde(with = "replica_name")]
        leader: u8,
        #[serde(with = "replica_name")]
        replica: u8,
    },
    /// A leader takes a replica out of the ISR.
    LeaderShrinkIsr {
        #[serde(with = "replica_name")]
        leader: u8,
        #[serde(with = "replica_name")]
        replica: u8,
    },
    /// Whoever believes that it leads appends a record.
    LeaderWrite {
        #[serde(with = "replica_name")]
        leader: u8,
    },
    /// Whoever believes that it leads advances its high watermark by one.
    LeaderAdvanceHw {
        #[serde(with = "replica_name")]
        leader: u8,
    },
    /// A replica learns of a decision by which another leads, and cuts its log.
    BecomeFollower {
        #[serde(with = "replica_name")]
        replica: u8,
        epoch: u8,
    },
    /// A follower fetches the next record.
    FollowerFetch {
        #[serde(with = "replica_name")]
        follower: u8,
        #[serde(with = "replica_name")]
        leader: u8,
    },
    /// A follower cuts its log, since a fetch has shown that it must.
    FollowerTruncate {
        #[serde(with = "replica_name")]
        follower: u8,
        #[serde(with = "replica_name")]
        leader: u8,
    },
}

/// What a step answered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum KipOutcome {
    /// It was taken.
    Taken,
    /// It is not enabled.
    NotEnabled,
}

impl Step {
    /// The name of each kind, by number.
    pub const KINDS: [&'static str; 10] = [
        "controller_shrink_isr",
        "controller_elect_leader",
        "become_leader",
        "leader_expand_isr",
        "leader_shrink_isr",
        "leader_write",
        "leader_advance_hw",
        "become_follower",
        "follower_fetch",
        "follower_truncate",
    ];

    /// What each kind is, by number.
    pub const STATEMENTS: [&'static str; 10] = [
        "the controller takes a replica out of the ISR; a leader steps down",
        "the controller makes an ISR member the leader",
        "a replica learns of the decision by which it leads",
        "a leader takes a replica into the ISR",
        "a leader takes a replica out of the ISR",
        "whoever believes that it leads appends a record",
        "whoever believes that it leads advances its high watermark by one",
        "a replica learns of a decision by which another leads, and cuts its log",
        "a follower fetches the next record",
        "a follower cuts its log, since a fetch has shown that it must",
    ];

    /// The number of its kind.
    pub const fn number(self) -> usize {
        match self {
            Self::ControllerShrinkIsr { .. } => 0,
            Self::ControllerElectLeader { .. } => 1,
            Self::BecomeLeader { .. } => 2,
            Self::LeaderExpandIsr { .. } => 3,
            Self::LeaderShrinkIsr { .. } => 4,
            Self::LeaderWrite { .. } => 5,
            Self::LeaderAdvanceHw { .. } => 6,
            Self::BecomeFollower { .. } => 7,
            Self::FollowerFetch { .. } => 8,
            Self::FollowerTruncate { .. } => 9,
        }
    }
}
