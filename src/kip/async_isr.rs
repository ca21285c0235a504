//! ISR changes that the leader asks for and the controller decides: `AsyncIsr` of the same repository.
//!
//! The leader proposes a change, and goes on before it knows what became of it; the controller may
//! have decided otherwise meanwhile. The question is over which ISR the high watermark is to be taken:
//! it must be the committed one and all that was proposed, together.

use crate::kip::state::{NOBODY, SizeError};
use crate::kip::steps::KipOutcome;
use crate::model::Model;
use highwater_invariants::{
    Entry, LeaderEpoch, NodeId, NodeSet, Observer, Offset, Renaming, Sink, Table, View,
};

/// The most replicas; replica 0 leads.
const REPLICAS_MAX: usize = 4;
const LEADER: u8 = 0;
/// Versions are numbered below this.
const VERSIONS: u8 = 4;

/// Over which ISR the high watermark is taken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum HwOver {
    /// The committed ISR and all that was proposed since: as published.
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
struct Versioned {
    isr: u8,
    version: u8,
}

/// A set of those, a bit each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Messages(u64);

impl Messages {
    const fn bit(message: Versioned) -> u64 {
        1 << (message.version as u32 * 16 + message.isr as u32)
    }

    fn insert(&mut self, message: Versioned) {
        self.0 |= Self::bit(message);
    }

    fn contains(self, message: Versioned) -> bool {
        self.0 & Self::bit(message) != 0
    }

    fn iter(self) -> impl Iterator<Item = Versioned> {
        let all =
            (0..VERSIONS).flat_map(|version| (0..16).map(move |isr| Versioned { isr, version }));
        all.filter(move |&message| self.contains(message))
    }
}

/// The state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AsyncIsrState {
    controller: Versioned,
    leader: Versioned,
    /// All that the leader has proposed since it last heard of the controller.
    pending_isr: u8,
    /// For which version; [`NOBODY`] if there is nothing pending.
    pending_version: u8,
    offsets: [u8; REPLICAS_MAX],
    requests: Messages,
    updates: Messages,
    settings: AsyncIsrSettings,
}

/// A step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum AsyncIsrStep {
    /// The controller takes a replica out of the ISR.
    ControllerShrinkIsr { replica: u8 },
    /// The controller does what the leader has asked for.
    ControllerHandleRequest { isr: u8 },
    /// The leader asks for a replica to be taken out.
    LeaderRequestShrink { replica: u8 },
    /// The leader asks for a replica to be taken in.
    LeaderRequestExpand { replica: u8 },
    /// The leader appends a record.
    LeaderWrite,
    /// The leader hears of a decision.
    LeaderHandleUpdate { isr: u8, version: u8 },
    /// A follower fetches the next record.
    FollowerReplicate { replica: u8 },
}

const KINDS: [&str; 7] = [
    "controller_shrink_isr",
    "controller_handle_request",
    "leader_request_shrink",
    "leader_request_expand",
    "leader_write",
    "leader_handle_update",
    "follower_replicate",
];

impl AsyncIsrState {
    fn replicas(&self) -> std::ops::Range<u8> {
        0..self.settings.replicas as u8
    }

    /// The least offset of those that count.
    fn high_watermark(&self) -> u8 {
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

    fn is_enabled(&self, step: AsyncIsrStep) -> bool {
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

    fn take(&mut self, step: AsyncIsrStep) {
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

/// The model `kip:async-isr`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AsyncIsrModel;

impl Model for AsyncIsrModel {
    type Settings = AsyncIsrSettings;
    type State = AsyncIsrState;
    type Operation = AsyncIsrStep;
    type Outcome = KipOutcome;
    const NAME: &'static str = "kip:async-isr";
    const KINDS: &'static [&'static str] = &KINDS;
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
        let all = Versioned { isr: (1 << settings.replicas) - 1, version: 0 };
        AsyncIsrState {
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
        let set = |isr| u64::from(renaming.set(super::state::nodes_of(isr)).bits());
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
        super::state::nodes_of(self.controller.isr)
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
