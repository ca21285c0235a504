//! One partition's whole state, with small ids for names.
//!
//! The rules are in the files beside this one, a section of PROTOCOL.md each; here are the state,
//! its creation, the tick and the view that checkers get.

use crate::isr::branch::{Branch, Branches};
use crate::isr::controller::Controller;
use crate::isr::error::IsrError;
use crate::isr::guards::{Guard, Guards};
use crate::isr::payload::{Payload, Snapshots};
use crate::isr::pending::PendingWrites;
use crate::isr::replica::Replica;
use crate::isr::retained::Retained;
use crate::isr::settings::Settings;
use crate::isr::trace::{IsrEvent, Recorder};
use crate::sim::{Network, Tick};
use arrayvec::ArrayVec;
use highwater_invariants::clone_in_place;
use highwater_invariants::{
    Entry, Event, LeaderEpoch, MAX_NODES, NodeId, NodeSet, Offset, Settled, Table, View,
};
use smallvec::SmallVec;

/// The result of an operation inside, where nodes are ids.
pub(crate) type Result<T> = std::result::Result<T, IsrError<NodeId>>;

/// A replicated partition (PROTOCOL.md section 3). Callers with names and byte strings use
/// [`crate::isr::IsrGroup`].
#[derive(Debug)]
pub struct Partition {
    pub(crate) settings: Settings,
    pub(crate) guards: Guards,
    pub(crate) network: Network<Payload>,
    pub(crate) controller: Controller,
    /// May be in the past, or before the start: then no lease is valid.
    pub(crate) lease_expiry: i64,
    pub(crate) slow: NodeSet,
    pub(crate) last_caught_up: [Tick; MAX_NODES],
    pub(crate) retained: Retained,
    pub(crate) replicas: ArrayVec<Replica, MAX_NODES>,
    pub(crate) snapshots: Snapshots,
    pub(crate) pending: PendingWrites,
    /// The leader lost entries in a crash, so it must not go on in its epoch.
    pub(crate) leader_is_fenced: bool,
    /// The leader epoch of the last committed entry: with its offset, its name.
    pub(crate) committed_epoch: LeaderEpoch,
    /// When each entry of the leader's log was appended, or when the leader was elected with it.
    pub(crate) appended_at: SmallVec<[Tick; 24]>,
    /// When the last catch-up of each follower was started.
    pub(crate) catch_up_started: [Option<Tick>; MAX_NODES],
    /// Messages that operations themselves sent, not messages or time, since nothing was in flight.
    pub(crate) sent_by_operations: usize,
    /// Whether what is sent now is sent because of a message or of time.
    pub(crate) is_reacting: bool,
    /// A limit of the run was exceeded; see [`Partition::is_halted`].
    pub(crate) halted: bool,
    pub(crate) branches: Branches,
    /// The last refresh: when, at which revision, with which nodes slow. A second one would change
    /// nothing.
    pub(crate) refreshed: Option<(Tick, u64, NodeSet)>,
    /// The ISR at the last refresh, to tell why the high watermark moves. For `branches` only.
    pub(crate) isr_at_refresh: NodeSet,
    /// Whether a lossy crash, and whether a rejoin, has happened. For `branches` only.
    pub(crate) has_lost: bool,
    /// Nodes that led an earlier epoch. For `branches` only.
    pub(crate) have_led: NodeSet,
    pub(crate) has_rejoined: bool,
}

clone_in_place!(Partition:
    copied { appended_at }
    cloned {
        settings,
        guards,
        network,
        controller,
        lease_expiry,
        slow,
        last_caught_up,
        retained,
        replicas,
        snapshots,
        pending,
        leader_is_fenced,
        committed_epoch,
        catch_up_started,
        sent_by_operations,
        is_reacting,
        halted,
        branches,
        refreshed,
        isr_at_refresh,
        has_lost,
        have_led,
        has_rejoined
    }
);

impl Partition {
    /// A fresh partition.
    pub fn new(settings: Settings, recorder: &mut impl Recorder) -> Self {
        let nodes = NodeSet::first(settings.nodes);
        let partition = Self {
            settings,
            guards: settings.rules.guards(),
            network: Network::new(settings.replication_delay_ticks),
            controller: Controller::new(nodes, settings.leader),
            lease_expiry: settings.lease_duration_ticks,
            slow: NodeSet::EMPTY,
            last_caught_up: [Tick(0); MAX_NODES],
            retained: Retained::default(),
            replicas: nodes.iter().map(|_| Replica::default()).collect(),
            snapshots: Snapshots::default(),
            pending: PendingWrites::default(),
            leader_is_fenced: false,
            committed_epoch: LeaderEpoch(0),
            appended_at: SmallVec::new(),
            catch_up_started: [None; MAX_NODES],
            sent_by_operations: 0,
            is_reacting: false,
            halted: false,
            branches: Branches::default(),
            refreshed: None,
            isr_at_refresh: nodes,
            has_lost: false,
            have_led: NodeSet::EMPTY,
            has_rejoined: false,
        };
        let seed = settings.seed;
        partition.trace(recorder, || IsrEvent::NetworkCreated { seed });
        partition.trace(recorder, || IsrEvent::GroupCreated {
            leader: settings.leader,
            leader_epoch: partition.controller.leader_epoch(),
            isr: nodes,
            min_insync_replicas: settings.min_insync_replicas,
            seed,
        });
        partition
    }

    /// What it is configured to.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The present tick.
    pub fn now(&self) -> Tick {
        self.network.now()
    }

    /// How many messages are in flight.
    pub fn in_flight(&self) -> usize {
        self.network.in_flight()
    }

    /// Whether a limit of [`crate::isr::Limits`] was exceeded, which ends a run. What happens
    /// afterwards is still defined, but grows without bound.
    pub fn is_halted(&self) -> bool {
        self.halted
    }

    /// Which branches of the protocol were reached so far.
    pub fn branches(&self) -> Branches {
        self.branches
    }

    #[inline]
    pub(crate) fn reach(&mut self, branch: Branch) {
        self.branches.reach(branch);
    }

    /// The current leader, whether up or down.
    pub fn current_leader(&self) -> NodeId {
        self.controller.leader()
    }

    /// Ticks at which authoritative reads stop being served; may be negative.
    pub fn lease_expiry(&self) -> i64 {
        self.lease_expiry
    }

    /// Counts elections, from 1.
    pub fn controller_epoch(&self) -> u32 {
        self.controller.controller_epoch()
    }

    /// Nodes marked slow.
    pub fn slow(&self) -> NodeSet {
        self.slow
    }

    /// The offsets in the retained window, oldest first.
    pub fn retained_offsets(&self) -> impl Iterator<Item = Offset> {
        self.retained.entries().iter().map(|&(offset, _)| offset)
    }

    /// The durable offset of `node`: what of its log would survive a lossy crash.
    pub fn durable_offset(&self, node: NodeId) -> Offset {
        self.replica(node).durable_offset()
    }

    /// How `node` last got its entries.
    pub fn catch_up_mode(&self, node: NodeId) -> crate::isr::CatchUpMode {
        self.replica(node).catch_up_mode()
    }

    /// Whether `node` is cut off from `peer`.
    pub fn is_cut(&self, node: NodeId, peer: NodeId) -> bool {
        self.network.is_cut(node, peer)
    }

    /// Moves the clock on by one tick and delivers what is due; then refreshes, and looks at every
    /// write that waits.
    pub fn tick(&mut self, recorder: &mut impl Recorder) {
        self.network.advance_clock();
        self.is_reacting = true;
        self.deliver_what_is_due(recorder);
        self.replace_fenced_leader(recorder);
        self.refresh(recorder);
        self.retry_catch_up(recorder);
        self.is_reacting = false;
        self.look_at_pending_writes(recorder);
        self.check_message_budget(recorder);
        recorder.observe(Event::Ticked, self);
    }

    /// Ticks while anything is in flight, then refreshes. The number of ticks.
    pub fn run_until_idle(&mut self, recorder: &mut impl Recorder) -> Result<u64> {
        let ticks_max = self.settings.limits.idle_ticks_max.saturating_add(self.delay_by_faults());
        let mut ticks = 0;
        while self.in_flight() > 0 {
            if ticks == ticks_max {
                let settled = Settled::StillBusy { ticks, in_flight: self.in_flight() };
                self.halted = true;
                recorder.observe(Event::Settled(settled), self);
                return Err(IsrError::DidNotBecomeIdle);
            }
            self.tick(recorder);
            ticks += 1;
            if self.halted {
                return Err(IsrError::OverMessageBudget);
            }
        }
        self.refresh(recorder);
        Ok(ticks)
    }

    /// For how many ticks more than the network's delay a message in flight was held back.
    fn delay_by_faults(&self) -> u64 {
        let latest = self.network.messages().map(|(due, _)| due).max();
        let left = latest.map_or(0, |latest| latest.since(self.now()));
        left.saturating_sub(self.settings.replication_delay_ticks)
    }

    /// Ends the run if more is in flight than it may have: what operations asked for, and the limit
    /// for what messages and time lead to.
    pub(crate) fn check_message_budget(&mut self, recorder: &mut impl Recorder) {
        if self.in_flight() == 0 {
            self.sent_by_operations = 0;
        }
        let limit = self.settings.limits.messages_in_flight_max;
        let budget = limit.saturating_add(self.sent_by_operations);
        if self.in_flight() > budget && !self.halted {
            self.halted = true;
            let settled = Settled::OverBudget { in_flight: self.in_flight(), budget };
            recorder.observe(Event::Settled(settled), self);
        }
    }

    #[inline]
    pub(crate) fn current_revision(&self) -> u64 {
        let replicas: u64 = self.replicas.iter().map(Replica::revision).sum();
        self.controller.revision() + replicas
    }

    #[inline]
    pub(crate) fn has(&self, guard: Guard) -> bool {
        self.guards.has(guard)
    }

    /// Whether it matters when the leader's entries were appended.
    #[inline]
    pub(crate) fn keeps_append_times(&self) -> bool {
        self.has(Guard::LagByFirstMissing) || self.has(Guard::RetryCatchUp)
    }

    /// Whether the leader is up and may act.
    #[inline]
    pub(crate) fn leader_serves(&self) -> bool {
        self.controller.leader_is_up() && !self.leader_is_fenced
    }

    /// The leader, if it may act.
    pub(crate) fn require_leader(&self) -> Result<NodeId> {
        let leader = self.controller.leader();
        self.require_up(leader)?;
        if self.leader_is_fenced { Err(IsrError::LeaderFenced(leader)) } else { Ok(leader) }
    }

    pub(crate) fn nodes(&self) -> NodeSet {
        NodeSet::first(self.settings.nodes)
    }

    /// All nodes but `node`, in configuration order.
    pub(crate) fn peers(&self, node: NodeId) -> NodeSet {
        let mut peers = self.nodes();
        peers.remove(node);
        peers
    }

    #[inline]
    pub(crate) fn replica(&self, node: NodeId) -> &Replica {
        &self.replicas[node.index()]
    }

    #[inline]
    pub(crate) fn replica_mut(&mut self, node: NodeId) -> &mut Replica {
        &mut self.replicas[node.index()]
    }

    pub(crate) fn require_up(&self, node: NodeId) -> Result<()> {
        if self.controller.is_up(node) { Ok(()) } else { Err(IsrError::NodeCrashed(node)) }
    }

    #[inline]
    pub(crate) fn trace<R: Recorder>(&self, recorder: &mut R, event: impl FnOnce() -> IsrEvent) {
        if R::TRACING {
            recorder.isr(self.now(), event());
        }
    }
}

impl View for Partition {
    #[inline]
    fn nodes(&self) -> NodeSet {
        NodeSet::first(self.settings.nodes)
    }

    #[inline]
    fn alive(&self) -> NodeSet {
        self.controller.alive()
    }

    #[inline]
    fn leader(&self) -> Option<NodeId> {
        // To fence a leader is to withdraw its leadership: it refuses everything.
        (!self.leader_is_fenced).then_some(self.controller.leader())
    }

    #[inline]
    fn leader_epoch(&self) -> LeaderEpoch {
        self.controller.leader_epoch()
    }

    #[inline]
    fn isr(&self) -> NodeSet {
        self.controller.isr()
    }

    #[inline]
    fn min_insync_replicas(&self) -> usize {
        self.settings.min_insync_replicas
    }

    #[inline]
    fn high_watermark(&self) -> Offset {
        self.controller.high_watermark()
    }

    #[inline]
    fn log(&self, node: NodeId) -> &[Entry] {
        self.replica(node).log()
    }

    #[inline]
    fn applied_high_watermark(&self, node: NodeId) -> Offset {
        self.replica(node).applied_high_watermark()
    }

    #[inline]
    fn durable(&self, node: NodeId) -> Option<&[Entry]> {
        Some(self.replica(node).durable_log())
    }

    #[inline]
    fn data(&self, node: NodeId) -> Option<&Table> {
        Some(self.replica(node).data())
    }

    #[inline]
    fn committed_data(&self, node: NodeId) -> Option<&Table> {
        Some(self.replica(node).committed_data())
    }

    /// Each part only ever counts up, so the sum changes if and only if a part does.
    #[inline]
    fn revision(&self) -> Option<u64> {
        Some(self.current_revision())
    }

    #[inline]
    fn node_revision(&self, node: NodeId) -> Option<u64> {
        Some(self.replica(node).revision())
    }
}
