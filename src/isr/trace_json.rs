//! Trace events as JSON, in the names and shapes of PROTOCOL.md section 9.

use crate::isr::payload::ShownPayload;
use crate::isr::trace::{IsrEvent, RejectReason, TraceEvent};
use crate::sim::{DropReason, KernelEvent, MessageId};
use highwater_invariants::{
    AckLevel, Entry, KeyId, LeaderEpoch, NodeId, NodeSet, Offset, ReadLevel, Table, ValueId,
};
use serde_json::{Map, Value, json};

/// Gives ids their names.
pub trait TraceNames {
    /// The name of a node.
    fn node(&self, node: NodeId) -> &str;
    /// All nodes, in configuration order.
    fn nodes(&self) -> Value;
    /// A key, as JSON.
    fn key(&self, key: KeyId) -> Value;
    /// A key, as the name of a JSON field.
    fn key_name(&self, key: KeyId) -> String;
    /// A value, as JSON.
    fn value(&self, value: ValueId) -> Value;

    /// Nodes as a list sorted by name.
    fn node_set(&self, nodes: NodeSet) -> Value {
        let mut names: Vec<_> = nodes.iter().map(|node| self.node(node)).collect();
        names.sort_unstable();
        json!(names)
    }

    /// A table as an object.
    fn table(&self, table: &Table) -> Value {
        let fields: Map<_, _> =
            table.iter().map(|(key, value)| (self.key_name(key), self.value(value))).collect();
        Value::Object(fields)
    }
}

impl TraceEvent {
    /// The event's kind, as in PROTOCOL.md section 9.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Kernel(event) => kernel_kind(event),
            Self::Isr(event) => isr_kind(event),
        }
    }

    /// The event's details, as in PROTOCOL.md section 9.
    pub fn details(&self, names: &impl TraceNames) -> Value {
        match self {
            Self::Kernel(event) => kernel_details(event, names),
            Self::Isr(event) => isr_details(event, names),
        }
    }
}

fn kernel_kind(event: &KernelEvent<ShownPayload>) -> &'static str {
    match event {
        KernelEvent::MessageSent { .. } => "message_sent",
        KernelEvent::MessageDropped { .. } => "message_dropped",
        KernelEvent::MessageDelivered { .. } => "message_delivered",
        KernelEvent::MessageDuplicated { .. } => "message_duplicated",
        KernelEvent::MessageMoved { .. } => "message_moved",
        KernelEvent::EventScheduled { .. } => "event_scheduled",
        KernelEvent::EventStarted { .. } => "event_started",
        KernelEvent::PartitionAdded { .. } => "partition_added",
        KernelEvent::PartitionHealed { .. } => "partition_healed",
    }
}

fn kernel_details(event: &KernelEvent<ShownPayload>, names: &impl TraceNames) -> Value {
    match event {
        KernelEvent::MessageSent { id, source, destination, payload }
        | KernelEvent::MessageDelivered { id, source, destination, payload } => json!({
            "message_id": id.0,
            "source": names.node(*source),
            "destination": names.node(*destination),
            "payload": payload_details(payload, names),
        }),
        KernelEvent::MessageDropped { id, source, destination, reason } => json!({
            "message_id": id.0,
            "source": names.node(*source),
            "destination": names.node(*destination),
            "reason": match reason {
                DropReason::Partition => "partition",
                DropReason::PartitionAtDelivery => "partition_at_delivery",
                DropReason::Fault => "fault",
            },
        }),
        KernelEvent::MessageDuplicated { id, source, destination } => json!({
            "message_id": id.0,
            "source": names.node(*source),
            "destination": names.node(*destination),
        }),
        KernelEvent::MessageMoved { id, due } => json!({"message_id": id.0, "due_tick": due.0}),
        KernelEvent::EventScheduled { id: MessageId(id), due, order }
        | KernelEvent::EventStarted { id: MessageId(id), due, order } => {
            json!({"label": format!("deliver:{id}"), "due_tick": due.0, "order": order})
        }
        KernelEvent::PartitionAdded { source, destination, bidirectional }
        | KernelEvent::PartitionHealed { source, destination, bidirectional } => json!({
            "source": names.node(*source),
            "destination": names.node(*destination),
            "bidirectional": bidirectional,
        }),
    }
}

fn payload_details(payload: &ShownPayload, names: &impl TraceNames) -> Value {
    match payload {
        ShownPayload::Append { source_leader, leader_epoch, offset, entry } => json!({
            "type": "isr_append",
            "source_leader": names.node(*source_leader),
            "leader_epoch": leader_epoch.0,
            "entry_leader_epoch": entry.leader_epoch().0,
            "offset": offset.0,
            "key": names.key(entry.key()),
            "value": names.value(entry.value()),
        }),
        ShownPayload::Snapshot { source_leader, leader_epoch, log, data, high_watermark } => {
            json!({
                "type": "isr_snapshot",
                "leader_epoch": leader_epoch.0,
                "source_leader": names.node(*source_leader),
                "log": log.iter().zip(1..).map(|(entry, offset)| entry_object(*entry, offset, names)).collect::<Vec<_>>(),
                "data": names.table(data),
                "high_watermark": high_watermark.0,
            })
        }
    }
}

fn entry_object(entry: Entry, offset: u32, names: &impl TraceNames) -> Value {
    json!({
        "offset": offset,
        "leader_epoch": entry.leader_epoch().0,
        "key": names.key(entry.key()),
        "value": names.value(entry.value()),
    })
}

fn isr_kind(event: &IsrEvent) -> &'static str {
    match event {
        IsrEvent::NetworkCreated { .. } => "network_created",
        IsrEvent::GroupCreated { .. } => "isr_group_created",
        IsrEvent::EntryAppended { .. } => "isr_entry_appended",
        IsrEvent::LeaderAppended { .. } => "isr_leader_appended",
        IsrEvent::ClientWriteResult { .. } => "isr_client_write_result",
        IsrEvent::ClientRead { .. } => "isr_client_read",
        IsrEvent::ReplicationDelayed { .. } => "isr_replication_delayed",
        IsrEvent::IncrementalCatchupStarted { .. } => "isr_incremental_catchup_started",
        IsrEvent::FullCatchupStarted { .. } => "isr_full_catchup_started",
        IsrEvent::AppendRejected { .. } => "isr_append_rejected",
        IsrEvent::MemberAdded { .. } => "isr_member_added",
        IsrEvent::MemberRemoved { .. } => "isr_member_removed",
        IsrEvent::HighWatermarkAdvanced { .. } => "isr_high_watermark_advanced",
        IsrEvent::ReplicaSpeedChanged { .. } => "isr_replica_speed_changed",
        IsrEvent::NodeFsynced { .. } => "isr_node_fsynced",
        IsrEvent::FsyncLoss { .. } => "isr_fsync_loss",
        IsrEvent::NodeCrashed { .. } => "isr_node_crashed",
        IsrEvent::NodeRestarted { .. } => "isr_node_restarted",
        IsrEvent::NodeIsolated { .. } => "isr_node_isolated",
        IsrEvent::NodeHealed { .. } => "isr_node_healed",
        IsrEvent::ControllerElected { .. } => "isr_controller_elected",
    }
}

fn isr_details(event: &IsrEvent, names: &impl TraceNames) -> Value {
    let node = |node: &NodeId| names.node(*node);
    match event {
        IsrEvent::NetworkCreated { seed } => json!({"seed": seed}),
        IsrEvent::GroupCreated {
            leader,
            leader_epoch: LeaderEpoch(epoch),
            isr,
            min_insync_replicas,
            seed,
        } => json!({
            "nodes": names.nodes(),
            "leader": node(leader),
            "leader_epoch": epoch,
            "isr": names.node_set(*isr),
            "min_insync_replicas": min_insync_replicas,
            "seed": seed,
        }),
        IsrEvent::EntryAppended { node: at, leader_epoch, offset: Offset(offset) } => {
            json!({"node": node(at), "leader_epoch": leader_epoch.0, "offset": offset})
        }
        IsrEvent::LeaderAppended { leader, leader_epoch, offset: Offset(offset) } => {
            json!({"leader": node(leader), "leader_epoch": leader_epoch.0, "offset": offset})
        }
        IsrEvent::ClientWriteResult { ack, accepted, offset, isr, high_watermark } => json!({
            "ack_level": ack_level(*ack),
            "accepted": accepted,
            "offset": offset.0,
            "isr": names.node_set(*isr),
            "high_watermark": high_watermark.0,
        }),
        IsrEvent::ClientRead { node: at, level, offset, value } => json!({
            "node": node(at),
            "level": read_level(*level),
            "offset": offset.0,
            "value": value.map_or(Value::Null, |value| names.value(value)),
        }),
        IsrEvent::ReplicationDelayed { follower, offset: Offset(offset) } => {
            json!({"follower": node(follower), "offset": offset})
        }
        IsrEvent::IncrementalCatchupStarted { follower, from_offset: Offset(offset) } => {
            json!({"follower": node(follower), "from_offset": offset})
        }
        IsrEvent::FullCatchupStarted { follower, high_watermark: Offset(high_watermark) } => {
            json!({"follower": node(follower), "high_watermark": high_watermark})
        }
        IsrEvent::AppendRejected { node: at, reason, leader_epoch } => json!({
            "node": node(at),
            "reason": match reason {
                RejectReason::StaleLeaderEpoch => "stale_leader_epoch",
                RejectReason::NonCurrentLeader => "non_current_leader",
            },
            "leader_epoch": leader_epoch.0,
        }),
        IsrEvent::MemberAdded { node: at, log_end_offset } => {
            json!({"node": node(at), "log_end_offset": log_end_offset.0})
        }
        IsrEvent::MemberRemoved { node: at, lag_entries } => {
            json!({"node": node(at), "lag": lag_entries})
        }
        IsrEvent::HighWatermarkAdvanced { high_watermark, isr } => {
            json!({"high_watermark": high_watermark.0, "isr": names.node_set(*isr)})
        }
        IsrEvent::ReplicaSpeedChanged { node: at, slow } => json!({"node": node(at), "slow": slow}),
        IsrEvent::NodeFsynced { node: at, offset } => json!({"node": node(at), "offset": offset.0}),
        IsrEvent::FsyncLoss { node: at, restored_offset } => {
            json!({"node": node(at), "restored_offset": restored_offset.0})
        }
        IsrEvent::NodeCrashed { node: at, lost_unfsynced } => {
            json!({"node": node(at), "lost_unfsynced": lost_unfsynced})
        }
        IsrEvent::NodeRestarted { node: at }
        | IsrEvent::NodeIsolated { node: at }
        | IsrEvent::NodeHealed { node: at } => json!({"node": node(at)}),
        IsrEvent::ControllerElected {
            old_leader,
            new_leader,
            controller_epoch,
            leader_epoch,
            high_watermark,
        } => json!({
            "old_leader": node(old_leader),
            "new_leader": node(new_leader),
            "controller_epoch": controller_epoch,
            "leader_epoch": leader_epoch.0,
            "high_watermark": high_watermark.0,
        }),
    }
}

/// An ack level's name in files and on the command line.
pub(crate) const fn ack_level(level: AckLevel) -> &'static str {
    match level {
        AckLevel::None => "NONE",
        AckLevel::Leader => "LEADER",
        AckLevel::Quorum => "QUORUM",
        AckLevel::AllIsr => "ALL_ISR",
    }
}

/// A read level's name in files and on the command line.
pub(crate) const fn read_level(level: ReadLevel) -> &'static str {
    match level {
        ReadLevel::Local => "LOCAL",
        ReadLevel::Leader => "LEADER",
        ReadLevel::Linearizable => "LINEARIZABLE",
    }
}
