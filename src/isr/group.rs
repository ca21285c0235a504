//! The door for callers: names and byte strings, typed errors.

use crate::isr::builder::GroupBuilder;
use crate::isr::client::{ReadAnswer, WriteAnswer, WriteReason};
use crate::isr::configuration::{ConfigurationError, GroupConfiguration};
use crate::isr::error::IsrError;
use crate::isr::interner::{Interner, InternerFull};
use crate::isr::partition::Partition;
use crate::isr::pending::{Patience, Submission};
use crate::isr::settings::Limits;
use crate::isr::trace::{Recorder, Trace};
use crate::isr::variant::Rules;
use crate::sim::Untraced;
use highwater_invariants::{AckLevel, KeyId, NodeId, NodeSet, ReadLevel, ValueId, View, WriteId};

/// A replicated partition: a leader, its followers, a controller, a clock and a network, all
/// simulated, all deterministic.
///
/// Nothing happens unless it is called for: time moves by [`IsrGroup::tick`] only (or by the calls
/// that tick until something is so). The type parameter says who listens: nobody by default.
///
/// # Examples
///
/// A slow replica leaves the ISR, and the others go on:
///
/// ```
/// use highwater::isr::{AckLevel, IsrGroup, ReadLevel};
///
/// let mut group = IsrGroup::builder()
///     .nodes(["node-1", "node-2", "node-3"])
///     .min_insync_replicas(2)
///     .replica_lag_timeout_ticks(2)
///     .build()?;
///
/// group.set_replica_slow("node-3", true)?;
/// for value in ["v1", "v2", "v3"] {
///     group.client_write("k", value, AckLevel::AllIsr)?;
/// }
/// assert_eq!(group.isr(), ["node-1", "node-2"]);
/// assert_eq!(group.high_watermark(), 3);
///
/// let read = group.client_read("k", ReadLevel::Linearizable, None)?;
/// assert_eq!(read.value.as_deref(), Some(b"v3".as_slice()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Data that exists on the leader is not data that an authoritative read may return:
///
/// ```
/// # use highwater::isr::{AckLevel, IsrError, IsrGroup, ReadLevel};
/// # let mut group = IsrGroup::builder().build()?;
/// group.client_write("k", "uncommitted", AckLevel::Leader)?;
/// assert!(group.client_read("k", ReadLevel::Leader, None)?.value.is_some());
/// let refused = group.client_read("k", ReadLevel::Linearizable, None);
/// assert_eq!(refused, Err(IsrError::NoCommittedLease));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct IsrGroup<R = Untraced> {
    nodes: Vec<String>,
    interner: Interner,
    partition: Partition,
    recorder: R,
}

/// What a writer is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteResult {
    /// Whether the write succeeded at the level asked for.
    pub accepted: bool,
    /// The entry's offset; the leader's log end if the write was refused at admission.
    pub offset: u32,
    /// Why.
    pub reason: WriteReason,
}

/// What a reader is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadResult {
    /// Who answered.
    pub node: String,
    /// Through which offset the answer claims to hold.
    pub offset: u32,
    /// The value, if the key has one.
    pub value: Option<Vec<u8>>,
}

/// A submitted write that waits for its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteTicket(WriteId);

type Result<T> = std::result::Result<T, IsrError>;

impl IsrGroup {
    /// Starts a sentence that builds a group.
    pub fn builder() -> GroupBuilder {
        GroupBuilder::default()
    }
}

impl IsrGroup<Trace> {
    /// All that happened so far.
    pub fn trace(&self) -> &Trace {
        &self.recorder
    }
}

impl<R> IsrGroup<R> {
    /// The state with ids for names.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// The in-sync replica set, sorted by name.
    pub fn isr(&self) -> Vec<&str> {
        self.sorted_names(self.partition.isr())
    }

    /// The offset of the last committed entry; 0 if there is none.
    pub fn high_watermark(&self) -> u32 {
        self.partition.high_watermark().0
    }

    /// The current leader, up or down.
    pub fn leader(&self) -> &str {
        self.node_name(self.partition.current_leader())
    }

    /// The offset of the last entry of `node`; 0 if it has none.
    pub fn log_end_offset(&self, node: &str) -> Result<u32> {
        Ok(self.partition.log_end_offset(self.node(node)?).0)
    }

    pub(crate) fn node_name(&self, node: NodeId) -> &str {
        &self.nodes[node.index()]
    }

    pub(crate) fn sorted_names(&self, nodes: NodeSet) -> Vec<&str> {
        let mut names: Vec<_> = nodes.iter().map(|node| self.node_name(node)).collect();
        names.sort_unstable();
        names
    }

    pub(crate) fn node_names(&self) -> &[String] {
        &self.nodes
    }

    pub(crate) fn key_bytes(&self, key: KeyId) -> &[u8] {
        self.interner.key_bytes(key).unwrap_or_default()
    }

    pub(crate) fn value_bytes(&self, value: ValueId) -> &[u8] {
        self.interner.value_bytes(value).unwrap_or_default()
    }

    fn node(&self, name: &str) -> Result<NodeId> {
        let index = self.nodes.iter().position(|node| node == name);
        index.map(NodeId::new).ok_or_else(|| IsrError::UnknownNode(name.to_owned()))
    }

    fn named(&self, error: IsrError<NodeId>) -> IsrError {
        error.map_node(|node| self.node_name(node).to_owned())
    }

    fn read_result(&self, answer: ReadAnswer) -> ReadResult {
        ReadResult {
            node: self.node_name(answer.node).to_owned(),
            offset: answer.offset.0,
            value: answer.value.map(|value| self.value_bytes(value).to_vec()),
        }
    }
}

impl<R: Recorder> IsrGroup<R> {
    /// A group that tells `recorder` what happens.
    pub fn with_recorder(
        configuration: &GroupConfiguration,
        mut recorder: R,
    ) -> std::result::Result<Self, ConfigurationError> {
        let settings = configuration.check(Rules::default(), Limits::PROTOCOL)?;
        let partition = Partition::new(settings, &mut recorder);
        let nodes = configuration.nodes.clone();
        Ok(Self { nodes, interner: Interner::default(), partition, recorder })
    }

    /// Writes, and waits for the answer as long as it takes.
    ///
    /// # Errors
    /// [`IsrError::UnsupportedAck`] for `NONE` and `QUORUM`; [`IsrError::NodeCrashed`] if the leader
    /// is down. A write that is not accepted is no error: see [`WriteResult`].
    pub fn client_write(
        &mut self,
        key: impl AsRef<[u8]>,
        value: impl AsRef<[u8]>,
        ack: AckLevel,
    ) -> Result<WriteResult> {
        let (key, value) = self.intern(key.as_ref(), value.as_ref())?;
        let answer = self.partition.write(key, value, ack, &mut self.recorder);
        answer.map(WriteResult::from).map_err(|error| self.named(error))
    }

    /// Writes without waiting. `Ok(Err(ticket))` is a write that waits: ticks resolve it, and
    /// [`IsrGroup::take_answer`] tells.
    ///
    /// # Errors
    /// As [`IsrGroup::client_write`].
    pub fn submit(
        &mut self,
        key: impl AsRef<[u8]>,
        value: impl AsRef<[u8]>,
        ack: AckLevel,
    ) -> Result<std::result::Result<WriteResult, WriteTicket>> {
        let (key, value) = self.intern(key.as_ref(), value.as_ref())?;
        let patience = Patience::of_client(self.partition.settings(), true);
        let submission = self.partition.submit(key, value, ack, patience, &mut self.recorder);
        match submission.map_err(|error| self.named(error))? {
            Submission::Answered(answer) => Ok(Ok(answer.into())),
            Submission::Pending { write, .. } => Ok(Err(WriteTicket(write))),
        }
    }

    /// The answer to a submitted write, once. `None` while it waits.
    pub fn take_answer(&mut self, ticket: WriteTicket) -> Option<WriteResult> {
        self.partition.take_answer(ticket.0).map(WriteResult::from)
    }

    /// Reads at a level. Only a [`ReadLevel::Local`] read may name a node.
    ///
    /// # Errors
    /// [`IsrError::NodeNotAccepted`], [`IsrError::UnknownNode`], [`IsrError::NodeCrashed`], and for
    /// linearizable reads [`IsrError::NoCommittedLease`].
    pub fn client_read(
        &mut self,
        key: impl AsRef<[u8]>,
        level: ReadLevel,
        node: Option<&str>,
    ) -> Result<ReadResult> {
        if level != ReadLevel::Local && node.is_some() {
            return Err(IsrError::NodeNotAccepted(level));
        }
        let node = node.map(|name| self.node(name)).transpose()?;
        let key = self.intern_key(key.as_ref())?;
        let answer = self.partition.read(key, level, node, &mut self.recorder);
        answer.map(|answer| self.read_result(answer)).map_err(|error| self.named(error))
    }

    /// Reads committed data at `node`, which must lead and hold a valid lease.
    ///
    /// # Errors
    /// [`IsrError::LeaseExpiredOrFenced`] also for a node that is down or unknown;
    /// [`IsrError::NodeCrashed`] if the leader itself is down; [`IsrError::NoCommittedLease`].
    pub fn lease_read(&mut self, node: &str, key: impl AsRef<[u8]>) -> Result<ReadResult> {
        let Ok(node) = self.node(node) else { return Err(IsrError::LeaseExpiredOrFenced) };
        let key = self.intern_key(key.as_ref())?;
        let answer = self.partition.lease_read(node, key, &mut self.recorder);
        answer.map(|answer| self.read_result(answer)).map_err(|error| self.named(error))
    }

    /// Moves time on by one tick: delivers what is due, then refreshes.
    pub fn tick(&mut self) {
        self.partition.tick(&mut self.recorder);
    }

    /// Ticks while anything is in flight. The number of ticks.
    ///
    /// # Errors
    /// [`IsrError::DidNotBecomeIdle`] after 10,000 ticks.
    pub fn run_until_idle(&mut self) -> Result<u64> {
        let ticks = self.partition.run_until_idle(&mut self.recorder);
        ticks.map_err(|error| self.named(error))
    }

    /// Marks a follower slow, or takes the mark away and catches it up.
    ///
    /// # Errors
    /// [`IsrError::LeaderCannotBeSlow`], [`IsrError::UnknownNode`], [`IsrError::NodeCrashed`].
    pub fn set_replica_slow(&mut self, node: &str, slow: bool) -> Result<()> {
        self.on_node(node, |partition, node, recorder| {
            partition.set_replica_slow(node, slow, recorder)
        })
    }

    /// Makes the present log of `node` durable.
    ///
    /// # Errors
    /// [`IsrError::UnknownNode`], [`IsrError::NodeCrashed`].
    pub fn fsync(&mut self, node: &str) -> Result<()> {
        self.on_node(node, Partition::fsync)
    }

    /// Takes `node` down; with `lose_unfsynced` its log goes back to the durable image.
    ///
    /// # Errors
    /// [`IsrError::UnknownNode`], [`IsrError::NodeCrashed`].
    pub fn crash(&mut self, node: &str, lose_unfsynced: bool) -> Result<()> {
        self.on_node(node, |partition, node, recorder| {
            partition.crash(node, lose_unfsynced, recorder)
        })
    }

    /// Brings `node` up again and catches it up.
    ///
    /// # Errors
    /// [`IsrError::UnknownNode`], [`IsrError::AlreadyRunning`]; [`IsrError::NodeCrashed`] if it is
    /// up but cannot be caught up, since the leader is down.
    pub fn restart(&mut self, node: &str) -> Result<()> {
        self.on_node(node, Partition::restart)
    }

    /// Cuts `node` off from every peer.
    ///
    /// # Errors
    /// [`IsrError::UnknownNode`], [`IsrError::NodeCrashed`].
    pub fn isolate(&mut self, node: &str) -> Result<()> {
        self.on_node(node, Partition::isolate)
    }

    /// Heals all links of `node` and catches it up.
    ///
    /// # Errors
    /// [`IsrError::UnknownNode`]; [`IsrError::NodeCrashed`] if the node or the leader is down.
    pub fn heal(&mut self, node: &str) -> Result<()> {
        self.on_node(node, Partition::heal)
    }

    /// Makes `node` the leader of a new epoch.
    ///
    /// # Errors
    /// [`IsrError::UnknownNode`], [`IsrError::NodeCrashed`], [`IsrError::NotInIsr`],
    /// [`IsrError::AlreadyLeader`].
    pub fn controller_elect(&mut self, node: &str) -> Result<()> {
        self.on_node(node, Partition::elect)
    }

    fn on_node(
        &mut self,
        node: &str,
        act: impl FnOnce(&mut Partition, NodeId, &mut R) -> std::result::Result<(), IsrError<NodeId>>,
    ) -> Result<()> {
        let node = self.node(node)?;
        act(&mut self.partition, node, &mut self.recorder).map_err(|error| self.named(error))
    }

    fn intern(&mut self, key: &[u8], value: &[u8]) -> Result<(KeyId, ValueId)> {
        let full = |InternerFull| IsrError::TooManyNames;
        Ok((self.intern_key(key)?, self.interner.value(value).map_err(full)?))
    }

    fn intern_key(&mut self, key: &[u8]) -> Result<KeyId> {
        self.interner.key(key).map_err(|InternerFull| IsrError::TooManyNames)
    }
}

impl From<WriteAnswer> for WriteResult {
    fn from(answer: WriteAnswer) -> Self {
        Self { accepted: answer.accepted, offset: answer.offset.0, reason: answer.reason }
    }
}
