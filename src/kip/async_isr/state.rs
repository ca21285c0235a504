//! The state of `AsyncIsr`, and what a checker sees of it.

use crate::kip::state::{NOBODY, SizeError, nodes_of};
use highwater_invariants::{Entry, LeaderEpoch, NodeId, NodeSet, Offset, Table, View};
use serde::{Deserialize, Serialize};

/// The most replicas; replica 0 leads.
pub(super) const REPLICAS_MAX: usize = 4;
pub(super) const LEADER: u8 = 0;
/// Versions are numbered below this.
pub(super) const VERSIONS: u8 = 4;

/// Over which ISR the high watermark is taken.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum HwOver {
    /// The committed ISR and all that was proposed since: as published.
    #[default]
    Both,
    /// The committed ISR alone.
    Committed,
    /// What was proposed alone, if something was.
    Proposed,
}

/// Constants, and the rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AsyncIsrSettings {
    /// How many replicas.
    pub replicas: usize,
    /// The largest offset; a step beyond is not taken.
    pub max_offset: u8,
    /// The controller's last version; a step beyond is not taken.
    pub max_version: u8,
    /// Over which ISR the high watermark is taken.
    pub hw_over: HwOver,
}

impl HwOver {
    /// All of them, the published one first.
    pub const ALL: [Self; 3] = [Self::Both, Self::Committed, Self::Proposed];

    /// Its name on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Committed => "committed",
            Self::Proposed => "proposed",
        }
    }

    /// What it says.
    pub const fn statement(self) -> &'static str {
        match self {
            Self::Both => "HW is taken over the committed ISR and all that was proposed since",
            Self::Committed => "HW is taken over the committed ISR alone",
            Self::Proposed => "HW is taken over what was proposed alone, if something was",
        }
    }
}

impl AsyncIsrSettings {
    /// Makes sure that a state has room for everything.
    ///
    /// # Errors
    /// Names the constant that is out of range.
    pub fn check(&self) -> Result<(), SizeError> {
        for (name, value, min, max) in [
            ("replicas", self.replicas, 1, REPLICAS_MAX),
            ("max offset", self.max_offset.into(), 1, 15),
            ("max version", self.max_version.into(), 0, usize::from(VERSIONS) - 1),
        ] {
            if !(min..=max).contains(&value) {
                return Err(SizeError { name, value, min, max });
            }
        }
        Ok(())
    }
}

/// An ISR and the version that it has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Versioned {
    pub(super) isr: u8,
    pub(super) version: u8,
}

/// A set of those, a bit each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Messages(u64);

impl Messages {
    const fn bit(message: Versioned) -> u64 {
        1 << (message.version as u32 * 16 + message.isr as u32)
    }

    pub(super) fn insert(&mut self, message: Versioned) {
        self.0 |= Self::bit(message);
    }

    pub(super) fn contains(self, message: Versioned) -> bool {
        self.0 & Self::bit(message) != 0
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Versioned> {
        let all =
            (0..VERSIONS).flat_map(|version| (0..16).map(move |isr| Versioned { isr, version }));
        all.filter(move |&message| self.contains(message))
    }
}

/// The state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AsyncIsrState {
    pub(super) controller: Versioned,
    pub(super) leader: Versioned,
    /// All that the leader has proposed since it last heard of the controller.
    pub(super) pending_isr: u8,
    /// For which version; [`NOBODY`] if there is nothing pending.
    pub(super) pending_version: u8,
    pub(super) offsets: [u8; REPLICAS_MAX],
    pub(super) requests: Messages,
    pub(super) updates: Messages,
    pub(super) settings: AsyncIsrSettings,
}

impl AsyncIsrState {
    /// All are in the ISR, and nothing was written.
    pub(super) fn initial(settings: &AsyncIsrSettings) -> Self {
        let all = Versioned { isr: (1 << settings.replicas) - 1, version: 0 };
        Self {
            controller: all,
            leader: all,
            pending_isr: 0,
            pending_version: NOBODY,
            offsets: [0; REPLICAS_MAX],
            requests: Messages::default(),
            updates: Messages::default(),
            settings: *settings,
        }
    }
}

impl View for AsyncIsrState {
    fn nodes(&self) -> NodeSet {
        NodeSet::first(self.settings.replicas)
    }

    fn alive(&self) -> NodeSet {
        View::nodes(self)
    }

    fn leader(&self) -> Option<NodeId> {
        Some(NodeId::new(LEADER.into()))
    }

    fn leader_epoch(&self) -> LeaderEpoch {
        LeaderEpoch(1)
    }

    fn isr(&self) -> NodeSet {
        nodes_of(self.controller.isr)
    }

    fn min_insync_replicas(&self) -> usize {
        1
    }

    fn high_watermark(&self) -> Offset {
        Offset(self.high_watermark().into())
    }

    /// There are only offsets.
    fn log(&self, _node: NodeId) -> &[Entry] {
        &[]
    }

    fn applied_high_watermark(&self, _node: NodeId) -> Offset {
        Offset::ZERO
    }

    fn durable(&self, _node: NodeId) -> Option<&[Entry]> {
        None
    }

    fn data(&self, _node: NodeId) -> Option<&Table> {
        None
    }

    fn committed_data(&self, _node: NodeId) -> Option<&Table> {
        None
    }

    fn log_end_offset(&self, node: NodeId) -> Offset {
        Offset(self.offsets[node.index()].into())
    }
}
