//! Branches of the protocol that a good search must reach.
//!
//! A coverage mark ties a line of the protocol to the report that says whether it was reached. The
//! set of marks is for looking at; nothing depends on it, and it is no part of a state's identity.

macro_rules! branches {
    ($($name:ident: $words:literal),* $(,)?) => {
        /// A branch of the protocol.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Branch { $(#[doc = concat!("`", $words, "`")] $name),* }

        impl Branch {
            /// What each branch is, by its number.
            pub const WORDS: &'static [&'static str] = &[$($words),*];
            /// Every branch.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];
        }
    };
}

branches! {
    IncrementalCatchUp: "incremental catch-up with entries to replay",
    IncrementalCatchUpOfNothing: "incremental catch-up with nothing to replay",
    FullCatchUp: "full catch-up by snapshot",
    SnapshotToSlowNode: "snapshot sent to a slow node",
    SnapshotInstalled: "snapshot installed",
    SnapshotShortensLog: "snapshot shortens a log",
    ReplicationDelayed: "entry held back from a slow node",
    GapDetected: "append beyond the receiver's log end",
    DuplicateDetected: "append at or below the receiver's log end",
    StaleEpochRejected: "packet rejected: stale leader epoch",
    NonCurrentLeaderRejected: "packet rejected: not from the current leader",
    DeliveredToDeadNode: "message delivered while its receiver or sender is down",
    IsrShrinks: "follower leaves the ISR by lag",
    IsrBelowMinInsync: "ISR shrinks below min.insync.replicas",
    Rejoins: "follower joins the ISR",
    HwAdvances: "HW advances",
    HwAdvancesByShrinking: "HW advances because the ISR shrank",
    LeaseExpired: "authoritative read refused: lease expired",
    UncommittedSuffix: "authoritative read refused: uncommitted entries on the leader",
    ReadBelowMinInsync: "authoritative read refused: ISR below min.insync.replicas",
    LeaseReadFenced: "lease read refused: not the leader",
    ElectionTruncates: "election cuts the new leader's log",
    ElectionKeepsLog: "election with nothing to cut",
    ElectionWhileWriteWaits: "election while a write waits",
    LeaderCrashes: "leader crashes",
    LeaderCrashesLossy: "leader crashes and loses entries",
    FollowerCrashesLossy: "follower crashes and loses entries",
    CrashWhileWriteWaits: "crash while a write waits",
    DeposedLeaderReturns: "node that once led an older epoch is caught up",
    WriteTimesOut: "ALL_ISR write runs out of time",
    WriteFailsWhileWaiting: "ALL_ISR write fails while waiting: ISR below min.insync.replicas",
    WriteFenced: "waiting write failed: its epoch is over or its leader is down",
    LeaderFenced: "leader that lost entries is fenced",
    LeaderReplaced: "fenced leader replaced by the controller",
    CatchUpRetried: "follower caught up again",
    WriteAfterElection: "ALL_ISR write accepted in a later epoch than the first",
    WriteAfterLossyCrash: "ALL_ISR write accepted after a lossy crash",
    WriteAfterRejoin: "ALL_ISR write accepted after a follower rejoined",
    MessageLost: "message in flight lost by a fault",
    MessageDuplicated: "message in flight duplicated",
    MessageDelayed: "message in flight delayed",
    MessagesReordered: "messages in flight reordered",
    LinkCutOneWay: "one direction of a link cut",
    RetentionOverflows: "retained window drops its oldest entry",
}

/// A set of branches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Branches(u64);

impl Branches {
    /// Adds a branch.
    #[inline]
    pub fn reach(&mut self, branch: Branch) {
        self.0 |= 1 << branch as u32;
    }

    /// Whether the branch was reached.
    pub const fn contains(self, branch: Branch) -> bool {
        self.0 & (1 << branch as u32) != 0
    }

    /// As a bit mask by branch number.
    pub const fn bits(self) -> u64 {
        self.0
    }
}

const _: () = assert!(Branch::ALL.len() <= 64);
