//! What the partition refuses to do.

use highwater_invariants::{AckLevel, ReadLevel};

/// Why an operation was refused (PROTOCOL.md section 8). `N` names a node: its id inside, its name
/// for callers.
///
/// An operation that fails may have had part of its effect, as PROTOCOL.md says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
pub enum IsrError<N = String> {
    /// No node of that name.
    #[error("unknown node: {0}")]
    UnknownNode(N),
    /// The node must be up for this.
    #[error("node is crashed: {0}")]
    NodeCrashed(N),
    /// Only an ISR member can be elected.
    #[error("controller may elect only an ISR member")]
    NotInIsr(N),
    /// It leads already.
    #[error("node is already leader: {0}")]
    AlreadyLeader(N),
    /// Only a node that is down can be restarted.
    #[error("node already running: {0}")]
    AlreadyRunning(N),
    /// The leader is never slow: it replicates to itself.
    #[error("the leader cannot be marked as a slow replica")]
    LeaderCannotBeSlow,
    /// Reads at this level go to the leader; a node cannot be named.
    #[error("{} read does not accept an explicit node", level_in_words(*.0))]
    NodeNotAccepted(ReadLevel),
    /// The leader cannot prove that what it would return is all that is committed.
    #[error("leader has no committed high watermark lease")]
    NoCommittedLease,
    /// The node does not lead, or its lease is over.
    #[error("leader lease expired or node was fenced")]
    LeaseExpiredOrFenced,
    /// Messages are still in flight after the most ticks that are waited.
    #[error("ISR group did not become idle")]
    DidNotBecomeIdle,
    /// ISR replication knows `LEADER` and `ALL_ISR` only.
    #[error("ISR does not support AckLevel.{}", ack_in_words(*.0))]
    UnsupportedAck(AckLevel),
    /// The leader lost entries in a crash and must not act before the controller has replaced it.
    #[error("leader lost entries and is fenced: {0}")]
    LeaderFenced(N),
    /// There is no message at that place in the order of arrivals.
    #[error("no message in flight has number {0}")]
    NoSuchMessage(usize),
    /// A link has two ends.
    #[error("a link needs two different nodes: {0}")]
    NoLinkToItself(N),
    /// More messages are in flight than the run may have ([`crate::isr::Limits`]).
    #[error("more messages are in flight than the budget allows")]
    OverMessageBudget,
    /// More distinct keys or values than one partition can tell apart (65,534 of each).
    #[error("more distinct keys or values than the 65534 that a partition can hold")]
    TooManyNames,
}

impl<N> IsrError<N> {
    /// Whether a limit of the run was exceeded, rather than something refused.
    pub const fn is_limit(&self) -> bool {
        matches!(self, Self::DidNotBecomeIdle | Self::OverMessageBudget)
    }

    /// The same error, with nodes named otherwise.
    pub fn map_node<M>(self, name: impl FnOnce(N) -> M) -> IsrError<M> {
        match self {
            Self::UnknownNode(node) => IsrError::UnknownNode(name(node)),
            Self::NodeCrashed(node) => IsrError::NodeCrashed(name(node)),
            Self::NotInIsr(node) => IsrError::NotInIsr(name(node)),
            Self::AlreadyLeader(node) => IsrError::AlreadyLeader(name(node)),
            Self::AlreadyRunning(node) => IsrError::AlreadyRunning(name(node)),
            Self::LeaderCannotBeSlow => IsrError::LeaderCannotBeSlow,
            Self::NodeNotAccepted(level) => IsrError::NodeNotAccepted(level),
            Self::NoCommittedLease => IsrError::NoCommittedLease,
            Self::LeaseExpiredOrFenced => IsrError::LeaseExpiredOrFenced,
            Self::DidNotBecomeIdle => IsrError::DidNotBecomeIdle,
            Self::UnsupportedAck(level) => IsrError::UnsupportedAck(level),
            Self::LeaderFenced(node) => IsrError::LeaderFenced(name(node)),
            Self::NoSuchMessage(nth) => IsrError::NoSuchMessage(nth),
            Self::NoLinkToItself(node) => IsrError::NoLinkToItself(name(node)),
            Self::OverMessageBudget => IsrError::OverMessageBudget,
            Self::TooManyNames => IsrError::TooManyNames,
        }
    }
}

fn level_in_words(level: ReadLevel) -> &'static str {
    match level {
        ReadLevel::Local => "local",
        ReadLevel::Leader => "leader",
        ReadLevel::Linearizable => "linearizable",
    }
}

fn ack_in_words(level: AckLevel) -> &'static str {
    match level {
        AckLevel::None => "NONE",
        AckLevel::Leader => "LEADER",
        AckLevel::Quorum => "QUORUM",
        AckLevel::AllIsr => "ALL_ISR",
    }
}
