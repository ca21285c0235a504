//! Every rule that keeps the partition safe or live, by name.
//!
//! A guard has a statement, one place that enforces it, and an invariant that catches its absence.
//! A variant is a set of guards; `highwater ablate` switches each off in turn and proves that it is
//! missed. To add one: a line in the list below, and its place in the protocol.

use highwater_invariants::InvariantId;
use std::fmt;

macro_rules! guards {
    ($($name:ident, $text:literal, $published:literal, $catcher:ident, $place:literal, $statement:literal;)*) => {
        /// A rule that keeps the partition safe or live.
        #[allow(clippy::doc_markdown, reason = "statements are for the terminal too")]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Guard { $(#[doc = $statement] $name),* }

        impl Guard {
            /// All guards.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The name, as on the command line and in files.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }

            /// What it says, in one sentence.
            pub const fn statement(self) -> &'static str {
                match self { $(Self::$name => $statement),* }
            }

            /// Whether the published protocol has it.
            pub const fn is_published(self) -> bool {
                match self { $(Self::$name => $published),* }
            }

            /// An invariant that catches its absence.
            pub const fn catcher(self) -> InvariantId {
                match self { $(Self::$name => InvariantId::$catcher),* }
            }

            /// The file of `src/isr/` that enforces it.
            pub const fn place(self) -> &'static str {
                match self { $(Self::$name => $place),* }
            }
        }
    };
}

// Name, name in files, whether published, which invariant catches its absence, where it is enforced,
// and what it says.
guards! {
    EpochCheck, "epoch-check", true, StaleEpochRejection, "replication.rs",
        "a packet of another leader epoch is rejected";
    NextOffset, "next-offset", true, EpochOrder, "replication.rs",
        "an entry is appended only at the receiver's next offset";
    ElectFromIsr, "elect-from-isr", true, AckedDurability, "election.rs",
        "only an ISR member is elected by order";
    HwOverIsr, "hw-over-isr", true, HwWithinIsr, "refresh.rs",
        "the high watermark is the least log end over the live ISR, not the leader's own";
    WaitAboveMinInsync, "wait-above-min-insync", true, MinInsyncAdmission, "pending.rs",
        "a waiting ALL_ISR write fails when the ISR falls below min.insync.replicas";
    RejoinCaughtUp, "rejoin-caught-up", true, HwWithinIsr, "refresh.rs",
        "a follower joins the ISR only when its log reaches the leader's log end";
    ReadCommitted, "read-committed", true, LinearizableReadBelowHw, "client.rs",
        "an authoritative read returns committed data, and only while nothing beyond it exists";
    LeaseOwner, "lease-owner", true, LinearizableReadBelowHw, "client.rs",
        "a lease read is served by the leader alone";
    RetainLeadersLog, "retain-leaders-log", false, EpochOrder, "election.rs",
        "an election rebuilds the retained window from the new leader's log";
    FenceLossyLeader, "fence-lossy-leader", false, CommittedPrefixAgreement, "faults.rs",
        "a leader that lost entries in a crash does not lead again in the same epoch";
    ReplaceFencedLeader, "replace-fenced-leader", false, Recovery, "election.rs",
        "the controller replaces a fenced leader by a live node that has all that is committed";
    MatchBeforeAppend, "match-before-append", false, CommittedPrefixAgreement, "replication.rs",
        "an entry is appended only behind the entry that it follows in the leader's log";
    MatchBeforeReplay, "match-before-replay", false, Recovery, "replication.rs",
        "retained entries are replayed only to a follower whose log is a prefix of the leader's; any other gets a snapshot";
    MatchBeforeJoin, "match-before-join", false, CommittedPrefixAgreement, "refresh.rs",
        "a follower joins the ISR only when its log equals the leader's";
    CountMatching, "count-matching", false, CommittedPrefixAgreement, "refresh.rs",
        "of an ISR member's log only what agrees with the leader's counts towards the high watermark and acknowledgements";
    CutDurableImage, "cut-durable-image", false, DurablePrefix, "election.rs",
        "the durable image is cut where the log is cut or replaced";
    ApplyMatching, "apply-matching", false, CommittedPrefixAgreement, "refresh.rs",
        "a replica applies committed entries only as far as its log agrees with the leader's";
    CommitOnMinInsync, "commit-on-min-insync", false, CommittedOnMinInsync, "refresh.rs",
        "the high watermark advances only while the ISR has min.insync.replicas";
    FenceWaitingWrites, "fence-waiting-writes", false, MinInsyncAdmission, "pending.rs",
        "a waiting write fails when its epoch is over or its leader is down";
    SnapshotNeverBack, "snapshot-never-back", false, HwMonotonicity, "replication.rs",
        "a snapshot that holds nothing new is ignored, and none takes back what was applied";
    OneCatchUp, "one-catch-up", false, Quiescence, "replication.rs",
        "a gap or a duplicate starts no second catch-up while the messages of the first may be in flight";
    LagByFirstMissing, "lag-by-first-missing", false, Recovery, "refresh.rs",
        "lag is the age of the first entry that a follower lacks, less the network's delay";
    RetryCatchUp, "retry-catch-up", false, Recovery, "refresh.rs",
        "a follower that lacks what the network had time to bring is caught up again, until it is";
}

/// A set of guards.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Guards(u64);

impl Guards {
    /// No guard.
    pub const NONE: Self = Self(0);

    /// Every guard.
    pub const ALL: Self = Self((1 << Guard::ALL.len()) - 1);

    /// The guards of the published protocol.
    pub const PUBLISHED: Self = {
        let (mut guards, mut index) = (Self::NONE, 0);
        while index < Guard::ALL.len() {
            if Guard::ALL[index].is_published() {
                guards = guards.with(Guard::ALL[index]);
            }
            index += 1;
        }
        guards
    };

    /// Whether `guard` is in the set.
    #[inline]
    pub const fn has(self, guard: Guard) -> bool {
        self.0 & (1 << guard as u32) != 0
    }

    /// This set and `guard`.
    #[must_use]
    pub const fn with(self, guard: Guard) -> Self {
        Self(self.0 | 1 << guard as u32)
    }

    /// This set without those of `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The guards of the set, in the order of their list.
    pub fn iter(self) -> impl Iterator<Item = Guard> {
        Guard::ALL.iter().copied().filter(move |&guard| self.has(guard))
    }
}

impl Guard {
    /// The guard of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|guard| guard.name() == name)
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
