//! What the protocol promises its users, a test or more for each promise.

use highwater::invariants::{LeaderEpoch, NodeId, NodeSet, Offset};
use highwater::isr::{
    AckLevel, CatchUpMode, GroupBuilder, IsrError, IsrEvent, IsrGroup, Probe, ReadLevel,
    RejectReason, ShownPayload, Trace, TraceEvent, WriteReason, WriteResult,
};
use highwater::sim::KernelEvent;
use std::collections::BTreeMap;

const NODE_1: NodeId = NodeId::new(0);
const NODE_2: NodeId = NodeId::new(1);
const NODE_3: NodeId = NodeId::new(2);

/// Three nodes, of which two must be in sync; everything else as by default.
fn three_nodes() -> GroupBuilder {
    IsrGroup::builder().nodes(["node-1", "node-2", "node-3"]).min_insync_replicas(2)
}

fn accepted(offset: u32) -> WriteResult {
    WriteResult { accepted: true, offset, reason: WriteReason::IsrAcknowledged }
}

/// The events of replication since there were `mark` events.
fn isr_events_since(mark: usize, group: &IsrGroup<Trace>) -> Vec<IsrEvent> {
    let events = group.trace().records()[mark..].iter().filter_map(|record| match &record.event {
        TraceEvent::Isr(event) => Some(event.clone()),
        TraceEvent::Kernel(_) => None,
    });
    events.collect()
}

/// What was sent to `node` since there were `mark` events.
fn sent_since(mark: usize, node: NodeId, group: &IsrGroup<Trace>) -> Vec<ShownPayload> {
    let sent = group.trace().records()[mark..].iter().filter_map(|record| match &record.event {
        TraceEvent::Kernel(KernelEvent::MessageSent { destination, payload, .. })
            if *destination == node =>
        {
            Some(payload.clone())
        }
        _ => None,
    });
    sent.collect()
}

fn mark(group: &IsrGroup<Trace>) -> usize {
    group.trace().records().len()
}

/// The entry epochs and values of a node's log.
fn log_of<'a>(probe: &'a Probe, node: &str) -> Vec<(u32, &'a [u8])> {
    let log = probe.nodes[node].log.iter();
    log.map(|entry| (entry.leader_epoch, entry.value.as_slice())).collect()
}

fn table<const N: usize>(pairs: [(&str, &str); N]) -> BTreeMap<Vec<u8>, Vec<u8>> {
    pairs.map(|(key, value)| (key.into(), value.into())).into()
}

#[test]
fn all_isr_returns_only_when_every_isr_member_has_the_entry_and_the_high_watermark_covers_it() {
    let mut group =
        three_nodes().replication_delay_ticks(3).replica_lag_timeout_ticks(10).build().unwrap();
    let ticket = group.submit("k", "v", AckLevel::AllIsr).unwrap().unwrap_err();
    for tick in 1..=2 {
        group.tick();
        assert_eq!(group.take_answer(ticket), None, "at tick {tick}");
        assert_eq!(group.high_watermark(), 0, "at tick {tick}");
    }
    group.tick();
    assert_eq!(group.take_answer(ticket), Some(accepted(1)));
    assert_eq!(group.isr(), ["node-1", "node-2", "node-3"]);
    assert_eq!(group.high_watermark(), 1);
    for node in ["node-1", "node-2", "node-3"] {
        assert_eq!(group.log_end_offset(node), Ok(1), "{node}");
    }
}

#[test]
fn all_isr_answers_after_the_last_append_and_after_the_high_watermark_has_moved() {
    let mut group = three_nodes().build_traced().unwrap();
    assert!(group.submit("k", "v", AckLevel::AllIsr).unwrap().is_err(), "it waits");
    let before = mark(&group);
    group.tick();
    let records = &group.trace().records()[before..];
    assert_eq!(
        records.iter().map(|record| record.event.kind()).collect::<Vec<_>>(),
        [
            "event_started",
            "message_delivered",
            "isr_entry_appended",
            "event_started",
            "message_delivered",
            "isr_entry_appended",
            "isr_high_watermark_advanced",
            "isr_client_write_result",
        ]
    );
}

#[test]
fn a_slow_replica_leaves_the_isr_and_writes_to_the_other_two_stay_possible() {
    let mut group = three_nodes().replica_lag_timeout_ticks(4).build_traced().unwrap();
    group.set_replica_slow("node-3", true).unwrap();
    let before = mark(&group);
    assert_eq!(group.client_write("k", "v1", AckLevel::AllIsr), Ok(accepted(1)));
    assert_eq!(group.probe().tick, 4, "node-3 was last caught up at tick 0");
    let events = isr_events_since(before, &group);
    let removed = IsrEvent::MemberRemoved { node: NODE_3, lag_entries: 1 };
    assert_eq!(events.iter().filter(|&event| *event == removed).count(), 1);

    assert_eq!(group.client_write("k", "v2", AckLevel::AllIsr), Ok(accepted(2)));
    assert_eq!(group.probe().tick, 5, "nobody waits for node-3 any more");
    assert_eq!(group.isr(), ["node-1", "node-2"]);
    assert_eq!(group.log_end_offset("node-3"), Ok(0));
}

#[test]
fn min_insync_refuses_writes_after_too_much_shrinking_but_does_not_stop_the_shrinking() {
    let mut group = three_nodes().build_traced().unwrap();
    group.set_replica_slow("node-2", true).unwrap();
    group.set_replica_slow("node-3", true).unwrap();
    let failed = group.client_write("k", "v1", AckLevel::AllIsr).unwrap();
    let reason = WriteReason::NotAcknowledged;
    assert_eq!(failed, WriteResult { accepted: false, offset: 1, reason });
    assert_eq!(group.isr(), ["node-1"], "both are out at tick 3");

    let events = mark(&group);
    let refused = group.client_write("k", "v2", AckLevel::AllIsr).unwrap();
    let reason = WriteReason::BelowMinInsync;
    assert_eq!(refused, WriteResult { accepted: false, offset: 1, reason });
    assert_eq!(group.log_end_offset("node-1"), Ok(1));
    assert_eq!(mark(&group), events, "a refusal at admission leaves no trace");

    let leader_only = group.client_write("k", "v3", AckLevel::Leader).unwrap();
    let reason = WriteReason::LeaderAppended;
    assert_eq!(leader_only, WriteResult { accepted: true, offset: 2, reason });

    group.set_replica_slow("node-2", false).unwrap();
    assert_eq!(group.run_until_idle(), Ok(1));
    assert_eq!(group.client_write("k", "v4", AckLevel::AllIsr), Ok(accepted(3)));
}

#[test]
fn a_recovered_replica_rejoins_only_after_it_has_caught_up() {
    let mut group = three_nodes().build_traced().unwrap();
    group.isolate("node-3").unwrap();
    for (value, offset) in [("v1", 1), ("v2", 2), ("v3", 3)] {
        assert_eq!(group.client_write("k", value, AckLevel::AllIsr), Ok(accepted(offset)));
    }
    group.heal("node-3").unwrap();
    assert_eq!(group.isr(), ["node-1", "node-2"]);
    // A fourth write sees to it that the first three are not enough.
    let ticket = group.submit("k", "v4", AckLevel::AllIsr).unwrap().unwrap_err();

    let before = mark(&group);
    group.tick();
    let leader_epoch = LeaderEpoch(1);
    let appended =
        |node, offset| IsrEvent::EntryAppended { node, leader_epoch, offset: Offset(offset) };
    let high_watermark = Offset(4);
    assert_eq!(
        isr_events_since(before, &group),
        [
            appended(NODE_3, 1),
            appended(NODE_3, 2),
            appended(NODE_3, 3),
            appended(NODE_2, 4),
            IsrEvent::HighWatermarkAdvanced { high_watermark, isr: NodeSet::first(2) },
            appended(NODE_3, 4),
            IsrEvent::MemberAdded { node: NODE_3, log_end_offset: Offset(4) },
            IsrEvent::ClientWriteResult {
                ack: AckLevel::AllIsr,
                accepted: true,
                offset: Offset(4),
                isr: NodeSet::first(3),
                high_watermark,
            },
        ]
    );
    assert_eq!(group.take_answer(ticket), Some(accepted(4)));
}

#[test]
fn an_election_bumps_both_epochs_and_fences_the_appends_of_the_old_one() {
    let mut group = three_nodes().build_traced().unwrap();
    group.client_write("k", "v1", AckLevel::Leader).unwrap();
    // A slow follower is not sent what is retained: only the two old messages are in flight.
    group.set_replica_slow("node-3", true).unwrap();
    group.controller_elect("node-2").unwrap();

    let before = group.probe();
    assert_eq!(before.leader, "node-2");
    assert_eq!((before.leader_epoch, before.controller_epoch), (2, 2));
    assert_eq!(before.isr, ["node-2", "node-3"]);
    assert_eq!(before.in_flight, 2);

    let events = mark(&group);
    group.tick();
    let rejected = |node| IsrEvent::AppendRejected {
        node,
        reason: RejectReason::StaleLeaderEpoch,
        leader_epoch: LeaderEpoch(1),
    };
    // node-1, which has an entry that node-2 lacks, counts as caught up and joins at the tick's end.
    let joined = IsrEvent::MemberAdded { node: NODE_1, log_end_offset: Offset(1) };
    assert_eq!(isr_events_since(events, &group), [rejected(NODE_2), rejected(NODE_3), joined]);

    let after = group.probe();
    assert_eq!(after.nodes, before.nodes);
    assert_eq!(after.high_watermark, 0);
    assert_eq!(after.in_flight, 0);
    assert_eq!(log_of(&after, "node-1"), [(1, b"v1".as_slice())]);
    assert_eq!(log_of(&after, "node-2"), []);
    assert_eq!(log_of(&after, "node-3"), []);
}

#[test]
fn a_new_epoch_replays_the_committed_prefix_of_the_old_one_and_entries_keep_their_epoch() {
    for (log_retention_entries, mode) in [(8, CatchUpMode::Incremental), (1, CatchUpMode::Full)] {
        let mut group =
            three_nodes().log_retention_entries(log_retention_entries).build_traced().unwrap();
        group.crash("node-3", false).unwrap();
        assert_eq!(group.client_write("a", "v1", AckLevel::AllIsr), Ok(accepted(1)));
        assert_eq!(group.client_write("b", "v2", AckLevel::AllIsr), Ok(accepted(2)));
        group.controller_elect("node-2").unwrap();
        assert_eq!(group.client_write("a", "v3", AckLevel::AllIsr), Ok(accepted(3)));

        let before = mark(&group);
        group.restart("node-3").unwrap();
        assert_eq!(group.run_until_idle(), Ok(1));
        let authorities = sent_since(before, NODE_3, &group).into_iter().map(|payload| {
            let (ShownPayload::Append { source_leader, leader_epoch, .. }
            | ShownPayload::Snapshot { source_leader, leader_epoch, .. }) = payload;
            (source_leader, leader_epoch)
        });
        let messages = if mode == CatchUpMode::Full { 1 } else { 3 };
        assert_eq!(
            authorities.collect::<Vec<_>>(),
            vec![(NODE_2, LeaderEpoch(2)); messages],
            "authority is the new leader's, {mode:?}"
        );

        let probe = group.probe();
        let [v1, v2, v3] = [b"v1".as_slice(), b"v2", b"v3"];
        assert_eq!(log_of(&probe, "node-3"), [(1, v1), (1, v2), (2, v3)], "{mode:?}");
        assert_eq!(probe.nodes["node-3"].catch_up_mode, mode);
        assert_eq!(probe.nodes["node-3"].applied_hw, 3);
        assert_eq!(probe.nodes["node-3"].committed_data, table([("a", "v3"), ("b", "v2")]));
        assert_eq!(probe.isr, ["node-1", "node-2", "node-3"]);
    }
}

/// node-3 gets `shared` entries, misses `missed` while it is cut off, and reconnects.
fn reconnect_after(shared: usize, missed: usize) -> (IsrGroup<Trace>, usize) {
    let mut group = three_nodes().log_retention_entries(2).build_traced().unwrap();
    for _ in 0..shared {
        group.client_write("k", "shared", AckLevel::AllIsr).unwrap();
    }
    group.isolate("node-3").unwrap();
    for _ in 0..missed {
        group.client_write("k", "missed", AckLevel::Leader).unwrap();
    }
    group.tick();
    let before = mark(&group);
    group.heal("node-3").unwrap();
    (group, before)
}

/// Healing starts catching up with `started` and `messages` messages, which end in `mode` with
/// everything.
fn assert_reconnects(
    (mut group, before): (IsrGroup<Trace>, usize),
    started: IsrEvent,
    messages: usize,
    mode: CatchUpMode,
) {
    let healed = IsrEvent::NodeHealed { node: NODE_3 };
    assert_eq!(isr_events_since(before, &group), [healed, started]);
    assert_eq!(sent_since(before, NODE_3, &group).len(), messages);
    group.run_until_idle().unwrap();
    let probe = group.probe();
    assert_eq!(probe.nodes["node-3"].log, probe.nodes["node-1"].log);
    assert_eq!(probe.nodes["node-3"].catch_up_mode, mode);
}

#[test]
fn reconnecting_within_the_retained_log_is_incremental_an_entry_a_message() {
    // Retained are entries 1, 2; then 2, 3; and it misses both. Then it misses nothing: of the
    // retained entries 2, 3; and with none retained, when nothing was ever written.
    for (shared, missed) in [(0, 2), (1, 2), (3, 0), (0, 0)] {
        let from_offset = Offset(shared as u32);
        let started = IsrEvent::IncrementalCatchupStarted { follower: NODE_3, from_offset };
        let reconnected = reconnect_after(shared, missed);
        assert_reconnects(reconnected, started, missed, CatchUpMode::Incremental);
    }
}

#[test]
fn reconnecting_outside_the_retained_log_is_full_by_one_snapshot() {
    // Retained: entries 2, 3; then 3, 4. The follower misses one more.
    for (shared, missed) in [(0, 3), (1, 3)] {
        let high_watermark = Offset(shared as u32);
        let started = IsrEvent::FullCatchupStarted { follower: NODE_3, high_watermark };
        assert_reconnects(reconnect_after(shared, missed), started, 1, CatchUpMode::Full);
    }
}

#[test]
fn local_may_be_stale_leader_may_be_uncommitted_and_linearizable_refuses_until_it_is_committed() {
    let mut group = three_nodes().build().unwrap();
    group.client_write("k", "v1", AckLevel::AllIsr).unwrap();
    group.client_write("k", "v2", AckLevel::Leader).unwrap();

    let mut read = |level, node| {
        let read = group.client_read("k", level, node)?;
        Ok((read.node, read.offset, read.value.map(|value| String::from_utf8(value).unwrap())))
    };
    let answer =
        |node: &str, offset, value: &str| Ok((node.to_owned(), offset, Some(value.to_owned())));
    assert_eq!(read(ReadLevel::Local, Some("node-2")), answer("node-2", 1, "v1"), "stale");
    assert_eq!(read(ReadLevel::Local, None), answer("node-1", 2, "v2"), "the leader by default");
    assert_eq!(read(ReadLevel::Leader, None), answer("node-1", 2, "v2"), "uncommitted");
    assert_eq!(read(ReadLevel::Linearizable, None), Err(IsrError::NoCommittedLease));
    assert_eq!(group.lease_read("node-1", "k"), Err(IsrError::NoCommittedLease));

    group.tick();
    let read = group.client_read("k", ReadLevel::Linearizable, None).unwrap();
    assert_eq!((read.offset, read.value.as_deref()), (2, Some(b"v2".as_slice())));
    assert_eq!(group.lease_read("node-1", "k"), Ok(read));
}

#[test]
fn acknowledgement_by_nobody_or_by_a_quorum_is_not_supported_and_changes_nothing() {
    let mut group = three_nodes().build_traced().unwrap();
    let (before, events) = (group.probe(), mark(&group));
    for (ack, words) in [
        (AckLevel::None, "ISR does not support AckLevel.NONE"),
        (AckLevel::Quorum, "ISR does not support AckLevel.QUORUM"),
    ] {
        let refused = group.client_write("k", "v", ack).unwrap_err();
        assert_eq!(refused, IsrError::UnsupportedAck(ack));
        assert_eq!(refused.to_string(), words);
    }
    assert_eq!(group.probe(), before);
    assert_eq!(mark(&group), events);

    group.crash("node-1", false).unwrap();
    let refused = group.client_write("k", "v", AckLevel::Quorum);
    assert_eq!(refused, Err(IsrError::UnsupportedAck(AckLevel::Quorum)), "checked first");
    let refused = group.client_write("k", "v", AckLevel::AllIsr);
    assert_eq!(refused, Err(IsrError::NodeCrashed("node-1".into())));
}

/// A run with a bit of everything.
fn eventful_run(seed: u64) -> IsrGroup<Trace> {
    let mut group = three_nodes().seed(seed).log_retention_entries(2).build_traced().unwrap();
    let writes = |group: &mut IsrGroup<Trace>, values: &[&str]| {
        for value in values {
            let _ = group.client_write("k", value, AckLevel::AllIsr);
        }
    };
    group.set_replica_slow("node-3", true).unwrap();
    writes(&mut group, &["v1", "v2", "v3"]);
    group.fsync("node-2").unwrap();
    group.set_replica_slow("node-3", false).unwrap();
    group.run_until_idle().unwrap();
    group.client_write("k", "v4", AckLevel::Leader).unwrap();
    group.controller_elect("node-2").unwrap();
    group.crash("node-1", true).unwrap();
    group.tick();
    group.restart("node-1").unwrap();
    writes(&mut group, &["v5"]);
    group.isolate("node-3").unwrap();
    writes(&mut group, &["v6", "v7"]);
    group.heal("node-3").unwrap();
    let _ = group.client_read("k", ReadLevel::Linearizable, None);
    for _ in 0..4 {
        group.tick();
    }
    group
}

#[test]
fn the_same_seed_replays_event_for_event() {
    let (first, second) = (eventful_run(7), eventful_run(7));
    assert_eq!(first.trace(), second.trace());
    assert_eq!(first.probe(), second.probe());
}

#[test]
fn another_seed_is_recorded_and_changes_nothing_else() {
    let (seven, eight) = (eventful_run(7), eventful_run(8));
    let [seven, eight] = [&seven, &eight].map(|group| group.trace().records());
    let created = |seed| TraceEvent::Isr(IsrEvent::NetworkCreated { seed });
    assert_eq!((&seven[0].event, &eight[0].event), (&created(7), &created(8)));
    assert_ne!(seven[1], eight[1]);
    assert_eq!(seven[2..], eight[2..]);
}
