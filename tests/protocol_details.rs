//! Details that no golden run can tell apart (PROTOCOL.md section 10).
//!
//! Some of them show only in states that no sequence of calls reaches; those are tested beside the
//! code, in `src/isr/`: how a dead ISR member is dropped (`refresh.rs`), which node synchronizing
//! checks first, a snapshot older than the high watermark, the reason `non_current_leader`
//! (`replication.rs`), and a new leader that has yet to apply what is committed (`election.rs`).

use highwater::invariants::{LeaderEpoch, NodeId, NodeSet, Offset};
use highwater::isr::{
    AckLevel, CatchUpMode, ConfigurationError, GroupBuilder, IsrError, IsrEvent, IsrGroup,
    NodeProbe, Trace, TraceEvent, WriteReason,
};
use std::collections::BTreeMap;

const NODE_2: NodeId = NodeId::new(1);
const NODE_3: NodeId = NodeId::new(2);

fn three_nodes() -> GroupBuilder {
    IsrGroup::builder().nodes(["node-1", "node-2", "node-3"])
}

fn mark(group: &IsrGroup<Trace>) -> usize {
    group.trace().records().len()
}

fn isr_events_since(mark: usize, group: &IsrGroup<Trace>) -> Vec<IsrEvent> {
    let events = group.trace().records()[mark..].iter().filter_map(|record| match &record.event {
        TraceEvent::Isr(event) => Some(event.clone()),
        TraceEvent::Kernel(_) => None,
    });
    events.collect()
}

fn kinds_since(mark: usize, group: &IsrGroup<Trace>) -> Vec<&'static str> {
    group.trace().records()[mark..].iter().map(|record| record.event.kind()).collect()
}

fn table<const N: usize>(pairs: [(&str, &str); N]) -> BTreeMap<Vec<u8>, Vec<u8>> {
    pairs.map(|(key, value)| (key.into(), value.into())).into()
}

#[test]
fn dropping_a_dead_follower_records_nothing_not_even_once_it_lags() {
    let mut group = three_nodes().replica_lag_timeout_ticks(2).build_traced().unwrap();
    group.client_write("k", "v", AckLevel::Leader).unwrap();
    let before = mark(&group);
    group.crash("node-3", false).unwrap();
    assert_eq!(
        kinds_since(before, &group),
        ["partition_added", "partition_added", "isr_node_crashed"]
    );
    assert_eq!(group.isr(), ["node-1", "node-2"]);

    let before = mark(&group);
    for _ in 0..4 {
        group.tick();
    }
    let (leader_epoch, offset) = (LeaderEpoch(1), Offset(1));
    assert_eq!(
        isr_events_since(before, &group),
        [
            IsrEvent::EntryAppended { node: NODE_2, leader_epoch, offset },
            IsrEvent::HighWatermarkAdvanced { high_watermark: Offset(1), isr: NodeSet::first(2) },
        ]
    );
}

// The second refresh of the ALL_ISR wait cannot be told from its absence. The first one leaves the
// high watermark at or past the least log end of the live ISR members and no dead follower in the
// ISR, so if every member has the entry, the entry is committed already; and with clock and logs
// as they were, a second refresh repeats the first and finds all done. While the leader is down
// neither does anything. `src/isr/refresh.rs` tests just that over many states. What does show is
// that the wait refreshes at all between the append and the answer:
#[test]
fn with_only_the_leader_in_the_isr_a_write_is_committed_and_accepted_at_once() {
    let mut group = three_nodes().min_insync_replicas(1).build_traced().unwrap();
    group.crash("node-2", false).unwrap();
    group.crash("node-3", false).unwrap();
    let before = mark(&group);
    let result = group.client_write("k", "v", AckLevel::AllIsr).unwrap();
    assert!(result.accepted);
    assert_eq!(result.reason, WriteReason::IsrAcknowledged);
    assert_eq!(group.probe().tick, 0);
    assert_eq!(group.high_watermark(), 1);
    let (isr, high_watermark) = (NodeSet::first(1), Offset(1));
    assert_eq!(
        isr_events_since(before, &group)[2..],
        [
            IsrEvent::HighWatermarkAdvanced { high_watermark, isr },
            IsrEvent::ClientWriteResult {
                ack: AckLevel::AllIsr,
                accepted: true,
                offset: Offset(1),
                isr,
                high_watermark,
            },
        ]
    );
}

#[test]
fn a_message_whose_sender_is_down_is_delivered_and_ignored() {
    let mut group = three_nodes().build_traced().unwrap();
    group.client_write("k", "v", AckLevel::Leader).unwrap();
    group.crash("node-1", false).unwrap();
    // Healing reaches the links of dead peers too, and only then fails for want of a leader.
    assert_eq!(group.heal("node-2"), Err(IsrError::NodeCrashed("node-1".into())));
    let before = mark(&group);
    group.tick();
    assert_eq!(
        kinds_since(before, &group),
        ["event_started", "message_delivered", "event_started", "message_dropped"]
    );
    assert_eq!(group.log_end_offset("node-2"), Ok(0));
}

#[test]
fn a_message_of_an_old_epoch_whose_sender_is_down_is_ignored_rather_than_rejected() {
    let mut group = three_nodes().build_traced().unwrap();
    group.client_write("k", "v", AckLevel::Leader).unwrap();
    // A slow follower is not sent what is retained: nothing new is in flight after the election.
    group.set_replica_slow("node-3", true).unwrap();
    group.crash("node-1", false).unwrap();
    group.controller_elect("node-2").unwrap();
    group.heal("node-3").unwrap();
    let before = mark(&group);
    group.tick();
    assert_eq!(
        kinds_since(before, &group),
        ["event_started", "message_dropped", "event_started", "message_delivered"]
    );
    assert_eq!(group.log_end_offset("node-3"), Ok(0));
}

#[test]
fn a_message_whose_receiver_is_down_is_delivered_and_ignored() {
    let mut group = three_nodes().build_traced().unwrap();
    group.client_write("k", "v", AckLevel::Leader).unwrap();
    group.crash("node-3", false).unwrap();
    group.heal("node-1").unwrap();
    let before = mark(&group);
    group.tick();
    assert_eq!(
        kinds_since(before, &group),
        [
            "event_started",
            "message_delivered",
            "isr_entry_appended",
            "isr_high_watermark_advanced",
            "event_started",
            "message_delivered",
        ]
    );
    assert_eq!(group.log_end_offset("node-3"), Ok(0));
}

#[test]
fn an_election_cuts_the_new_leaders_log_and_leaves_all_else_of_it_alone() {
    let mut group = three_nodes().build().unwrap();
    group.client_write("k", "v1", AckLevel::AllIsr).unwrap();
    // node-3, slow but still in the ISR, holds the high watermark back at 1.
    group.set_replica_slow("node-3", true).unwrap();
    group.client_write("k", "v2", AckLevel::Leader).unwrap();
    group.tick();
    group.fsync("node-2").unwrap();
    let before = group.probe().nodes["node-2"].clone();
    assert_eq!((before.log_end_offset, before.applied_hw, before.durable_offset), (2, 1, 2));

    group.controller_elect("node-2").unwrap();
    let after = group.probe().nodes["node-2"].clone();
    let expected = NodeProbe {
        is_leader: true,
        log: before.log[..1].to_vec(),
        log_end_offset: 1,
        data: table([("k", "v1")]),
        ..before
    };
    assert_eq!(after, expected);
    assert_eq!(after.applied_hw, 1);
    assert_eq!(after.committed_data, table([("k", "v1")]));
    assert_eq!(after.durable_offset, 2);
    assert_eq!(after.catch_up_mode, CatchUpMode::Streaming);
}

#[test]
fn a_lossy_crash_rebuilds_committed_data_through_the_high_watermark() {
    let mut group =
        three_nodes().replica_lag_timeout_ticks(2).log_retention_entries(1).build_traced().unwrap();
    let write = |group: &mut IsrGroup<Trace>, key| {
        assert!(group.client_write(key, "v", AckLevel::AllIsr).unwrap().accepted);
    };
    write(&mut group, "a");
    group.fsync("node-1").unwrap();
    write(&mut group, "b");
    write(&mut group, "c");
    group.fsync("node-2").unwrap();
    group.isolate("node-2").unwrap();
    write(&mut group, "d");
    write(&mut group, "e");
    // The leader loses all but one entry, and hands its short log to node-2 in a snapshot: now
    // node-2 has applied less than both its durable image and the high watermark reach.
    group.crash("node-1", true).unwrap();
    group.restart("node-1").unwrap();
    group.heal("node-2").unwrap();
    group.run_until_idle().unwrap();
    let node = &group.probe().nodes["node-2"];
    assert_eq!((node.log_end_offset, node.applied_hw, node.durable_offset), (1, 1, 3));
    assert_eq!(group.high_watermark(), 5);

    // Without a leader, no refresh after the crash applies what the crash itself did not.
    group.crash("node-1", false).unwrap();
    let before = mark(&group);
    group.crash("node-2", true).unwrap();
    let lost = IsrEvent::FsyncLoss { node: NODE_2, restored_offset: Offset(3) };
    let crashed = IsrEvent::NodeCrashed { node: NODE_2, lost_unfsynced: true };
    assert_eq!(isr_events_since(before, &group), [lost, crashed]);
    let node = &group.probe().nodes["node-2"];
    assert_eq!((node.log_end_offset, node.applied_hw, node.durable_offset), (3, 3, 3));
    assert_eq!(node.committed_data, table([("a", "v"), ("b", "v"), ("c", "v")]));
}

#[test]
fn a_slow_node_that_has_everything_stays_out_of_the_isr_until_it_is_no_longer_slow() {
    let mut group = three_nodes().log_retention_entries(1).build().unwrap();
    group.isolate("node-3").unwrap();
    group.client_write("k", "v1", AckLevel::AllIsr).unwrap();
    group.client_write("k", "v2", AckLevel::AllIsr).unwrap();
    group.set_replica_slow("node-3", true).unwrap();
    // A snapshot is sent even to a slow node.
    group.heal("node-3").unwrap();
    assert_eq!(group.run_until_idle(), Ok(1));
    assert_eq!(group.log_end_offset("node-3"), Ok(2));
    assert_eq!(group.isr(), ["node-1", "node-2"]);

    group.set_replica_slow("node-3", false).unwrap();
    assert_eq!(group.isr(), ["node-1", "node-2"], "the next refresh takes it in");
    group.tick();
    assert_eq!(group.isr(), ["node-1", "node-2", "node-3"]);
}

#[test]
fn a_lossy_crash_forgets_what_was_committed_beyond_the_durable_image() {
    let mut group = three_nodes().build().unwrap();
    group.client_write("k", "v1", AckLevel::AllIsr).unwrap();
    group.fsync("node-3").unwrap();
    group.client_write("k", "v2", AckLevel::AllIsr).unwrap();
    group.crash("node-3", true).unwrap();
    let node = &group.probe().nodes["node-3"];
    assert_eq!((node.log_end_offset, node.applied_hw, node.durable_offset), (1, 1, 1));
    assert_eq!(node.committed_data, table([("k", "v1")]));
    assert_eq!(group.high_watermark(), 2);
}

#[test]
fn a_catch_up_that_fails_names_the_leader_and_leaves_the_node_up_and_its_links_healed() {
    let mut group = three_nodes().build_traced().unwrap();
    group.crash("node-3", false).unwrap();
    group.crash("node-1", false).unwrap();
    let before = mark(&group);
    let leader_is_down = Err(IsrError::NodeCrashed("node-1".into()));
    assert_eq!(group.restart("node-3"), leader_is_down);
    assert_eq!(
        kinds_since(before, &group),
        ["partition_healed", "partition_healed", "isr_node_restarted"]
    );
    assert!(group.probe().nodes["node-3"].alive);

    let before = mark(&group);
    assert_eq!(group.set_replica_slow("node-3", false), leader_is_down);
    assert_eq!(isr_events_since(before, &group), []);
    assert!(!group.partition().slow().contains(NODE_3));
}

#[test]
fn configuration_checks_come_in_order_nodes_then_leader_then_min_insync_then_the_positive_ones() {
    use ConfigurationError::{Leader, MinInsyncReplicas, Nodes, NotPositive};
    let all_wrong = |nodes: &[&str], leader: &str, min_insync_replicas| {
        let builder = IsrGroup::builder()
            .nodes(nodes.iter().copied())
            .leader(leader)
            .min_insync_replicas(min_insync_replicas);
        builder.replica_lag_timeout_ticks(0).build().map(|_| ()).unwrap_err()
    };
    assert_eq!(all_wrong(&["a"], "x", 0), Nodes);
    assert_eq!(all_wrong(&["a", "a"], "x", 3), Nodes);
    assert_eq!(all_wrong(&["a", "b"], "x", 0), Leader);
    assert_eq!(all_wrong(&["a", "b"], "b", 0), MinInsyncReplicas);
    assert_eq!(all_wrong(&["a", "b"], "b", 3), MinInsyncReplicas);
    assert_eq!(all_wrong(&["a", "b"], "b", 2), NotPositive);
    let words = [Nodes, Leader, MinInsyncReplicas, NotPositive].map(|error| error.to_string());
    assert_eq!(
        words,
        [
            "ISR requires at least two unique node IDs",
            "leader_id must be a member",
            "min.insync.replicas must fit the group",
            "timeouts, retention, and delay must be positive",
        ]
    );
}

#[test]
fn four_numbers_must_be_positive_and_the_lease_duration_is_not_checked() {
    for zero in [
        GroupBuilder::replica_lag_timeout_ticks as fn(GroupBuilder, u64) -> GroupBuilder,
        GroupBuilder::log_retention_entries,
        GroupBuilder::replication_delay_ticks,
        GroupBuilder::ack_timeout_ticks,
    ] {
        assert_eq!(zero(three_nodes(), 0).build().err(), Some(ConfigurationError::NotPositive));
        assert!(zero(three_nodes(), 1).build().is_ok());
    }
    let group = three_nodes().lease_duration_ticks(-1).build().unwrap();
    assert_eq!(group.probe().lease_expiry, -1);
}
