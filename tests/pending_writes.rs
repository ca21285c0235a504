//! Writes that wait. Submitting and ticking is the same as writing and waiting, except that faults
//! can fall in the middle.

use highwater::invariants::{NodeSet, Offset};
use highwater::isr::{
    AckLevel, GroupBuilder, IsrEvent, IsrGroup, Trace, TraceEvent, WriteReason, WriteResult,
    WriteTicket,
};

/// Three nodes, of which two must be in sync, and nobody leaves the ISR for lag.
fn patient() -> GroupBuilder {
    IsrGroup::builder()
        .nodes(["node-1", "node-2", "node-3"])
        .min_insync_replicas(2)
        .replica_lag_timeout_ticks(100)
}

fn accepted(offset: u32) -> WriteResult {
    WriteResult { accepted: true, offset, reason: WriteReason::IsrAcknowledged }
}

fn not_acknowledged(offset: u32) -> WriteResult {
    WriteResult { accepted: false, offset, reason: WriteReason::NotAcknowledged }
}

/// Submits a write that has to wait.
fn submit(group: &mut IsrGroup<Trace>, value: &str) -> WriteTicket {
    group.submit("k", value, AckLevel::AllIsr).unwrap().expect_err("it waits")
}

/// What the group was last told to have answered.
fn last_answer(group: &IsrGroup<Trace>) -> (u64, IsrEvent) {
    let is_answer = |event: &TraceEvent| event.kind() == "isr_client_write_result";
    let mut records = group.trace().records().iter().rev();
    let record = records.find(|record| is_answer(&record.event)).expect("an answer");
    match &record.event {
        TraceEvent::Isr(event) => (record.tick.0, event.clone()),
        TraceEvent::Kernel(_) => unreachable!("answers are events of replication"),
    }
}

fn answer(accepted: bool, offset: u32, isr: NodeSet, high_watermark: u32) -> IsrEvent {
    let (offset, high_watermark) = (Offset(offset), Offset(high_watermark));
    IsrEvent::ClientWriteResult { ack: AckLevel::AllIsr, accepted, offset, isr, high_watermark }
}

/// A starting state, the answers to three `ALL_ISR` writes, and the tick at the end.
type Situation = (&'static str, IsrGroup<Trace>, [WriteResult; 3], u64);

fn situations() -> Vec<Situation> {
    let group = |builder: GroupBuilder, slow: &[&str]| {
        let mut group = builder.build_traced().unwrap();
        for node in slow {
            group.set_replica_slow(node, true).unwrap();
        }
        group
    };
    let refused = WriteResult { accepted: false, offset: 1, reason: WriteReason::BelowMinInsync };
    let all_accepted = [accepted(1), accepted(2), accepted(3)];
    let never = [not_acknowledged(1), not_acknowledged(2), not_acknowledged(3)];
    vec![
        // A tick for each write.
        ("all is well", group(patient(), &[]), all_accepted, 3),
        // Two ticks until the slow node is dropped, then one for each of the others.
        (
            "a slow node is dropped",
            group(patient().replica_lag_timeout_ticks(2), &["node-3"]),
            all_accepted,
            4,
        ),
        // Both are dropped at tick 2, in the middle of the first write.
        (
            "too many are dropped",
            group(patient().replica_lag_timeout_ticks(2), &["node-2", "node-3"]),
            [not_acknowledged(1), refused, refused],
            2,
        ),
        // The slow node stays in the ISR, and three ticks for each write are over.
        ("time is up", group(patient().ack_timeout_ticks(3), &["node-3"]), never, 9),
        // The last of four looks comes three ticks after the first.
        (
            "just in time",
            group(patient().ack_timeout_ticks(4).replication_delay_ticks(3), &[]),
            all_accepted,
            9,
        ),
        // Three looks, and the entry arrives at the tick after the last.
        (
            "just too late",
            group(patient().ack_timeout_ticks(3).replication_delay_ticks(3), &[]),
            never,
            9,
        ),
    ]
}

#[test]
fn submitting_and_ticking_gives_the_answer_the_trace_and_the_state_of_writing_and_waiting() {
    for (situation, mut waiting, answers, ticks) in situations() {
        let mut ticking = waiting.clone();
        for answer in answers {
            assert_eq!(waiting.client_write("k", "v", AckLevel::AllIsr), Ok(answer), "{situation}");
            match ticking.submit("k", "v", AckLevel::AllIsr).unwrap() {
                Ok(at_once) => assert_eq!(at_once, answer, "{situation}"),
                Err(ticket) => {
                    assert_eq!(ticking.probe().pending_writes, 1);
                    let told = loop {
                        ticking.tick();
                        if let Some(told) = ticking.take_answer(ticket) {
                            break told;
                        }
                    };
                    assert_eq!(told, answer, "{situation}");
                    assert_eq!(ticking.take_answer(ticket), None, "an answer is given once");
                }
            }
            assert_eq!(ticking.trace(), waiting.trace(), "{situation}");
            assert_eq!(ticking.probe(), waiting.probe(), "{situation}");
        }
        assert_eq!(waiting.probe().tick, ticks, "{situation}");
    }
}

#[test]
fn a_write_to_the_leader_alone_and_a_refused_one_never_wait() {
    let mut group = patient().build_traced().unwrap();
    let result = group.submit("k", "v", AckLevel::Leader).unwrap();
    let reason = WriteReason::LeaderAppended;
    assert_eq!(result, Ok(WriteResult { accepted: true, offset: 1, reason }));
    group.crash("node-2", false).unwrap();
    group.crash("node-3", false).unwrap();
    let result = group.submit("k", "v", AckLevel::AllIsr).unwrap();
    let reason = WriteReason::BelowMinInsync;
    assert_eq!(result, Ok(WriteResult { accepted: false, offset: 1, reason }));
    assert_eq!(group.probe().pending_writes, 0);
}

#[test]
fn several_writes_wait_at_once_and_are_answered_in_order() {
    let mut group = patient().build_traced().unwrap();
    let tickets = ["v1", "v2", "v3"].map(|value| submit(&mut group, value));
    assert_eq!(group.probe().pending_writes, 3);
    group.tick();
    let answers = tickets.map(|ticket| group.take_answer(ticket));
    assert_eq!(answers, [1, 2, 3].map(|offset| Some(accepted(offset))));
    let kinds = group.trace().records().iter().rev().map(|record| record.event.kind());
    assert_eq!(kinds.take(3).collect::<Vec<_>>(), ["isr_client_write_result"; 3]);
    assert_eq!(last_answer(&group), (1, answer(true, 3, NodeSet::first(3), 3)));
}

#[test]
fn a_follower_that_crashes_in_the_middle_of_the_wait_is_waited_for_no_longer() {
    let mut group = patient().replication_delay_ticks(2).build_traced().unwrap();
    group.set_replica_slow("node-3", true).unwrap();
    let ticket = submit(&mut group, "v");
    for _ in 0..5 {
        group.tick();
    }
    assert_eq!(group.take_answer(ticket), None, "node-3 has nothing, and is in the ISR");
    group.crash("node-3", false).unwrap();
    assert_eq!(group.take_answer(ticket), None, "only ticks resolve it");
    assert_eq!(group.high_watermark(), 1, "what the others have is committed already");
    group.tick();
    assert_eq!(group.take_answer(ticket), Some(accepted(1)));
    assert_eq!(last_answer(&group), (6, answer(true, 1, NodeSet::first(2), 1)));
}

#[test]
fn a_write_fails_when_crashes_leave_too_few_although_its_entry_is_committed() {
    let mut group = patient().build_traced().unwrap();
    let ticket = submit(&mut group, "v");
    group.crash("node-2", false).unwrap();
    group.crash("node-3", false).unwrap();
    // The leader alone is the ISR, and min.insync does not hold the high watermark back.
    assert_eq!(group.high_watermark(), 1);
    group.tick();
    assert_eq!(group.take_answer(ticket), Some(not_acknowledged(1)));
    assert_eq!(last_answer(&group), (1, answer(false, 1, NodeSet::first(1), 1)));
}

#[test]
fn with_the_leader_down_nothing_moves_the_high_watermark_and_a_write_that_all_have_is_not_accepted()
{
    let nodes = ["node-1", "node-2", "node-3", "node-4"];
    let mut group = patient().nodes(nodes).build_traced().unwrap();
    group.set_replica_slow("node-4", true).unwrap();
    let ticket = submit(&mut group, "v");
    group.tick();
    assert_eq!(group.take_answer(ticket), None, "node-4 has nothing, and is in the ISR");
    group.crash("node-1", false).unwrap();
    group.crash("node-4", false).unwrap();
    assert_eq!(group.isr(), ["node-2", "node-3"]);
    group.tick();
    assert_eq!(group.take_answer(ticket), Some(not_acknowledged(1)));
    let probe = group.probe();
    assert_eq!(probe.high_watermark, 0);
    assert_eq!(
        (probe.nodes["node-2"].log_end_offset, probe.nodes["node-3"].log_end_offset),
        (1, 1)
    );
}

#[test]
fn an_election_in_the_middle_of_the_wait_cuts_the_entry_and_the_write_waits_in_vain() {
    let mut group = patient().ack_timeout_ticks(4).build_traced().unwrap();
    let ticket = submit(&mut group, "v");
    group.controller_elect("node-2").unwrap();
    for tick in 1..=3 {
        group.tick();
        assert_eq!(group.take_answer(ticket), None, "at tick {tick}");
    }
    group.tick();
    assert_eq!(group.take_answer(ticket), Some(not_acknowledged(1)));
    assert_eq!(last_answer(&group), (4, answer(false, 1, NodeSet::first(3), 0)));
    let probe = group.probe();
    let log_ends = ["node-1", "node-2", "node-3"].map(|node| probe.nodes[node].log_end_offset);
    // node-3 has it from what the new leader retains beyond its own log.
    assert_eq!(log_ends, [1, 0, 1]);
}

#[test]
fn after_an_election_a_waiting_write_is_answered_by_its_offset_whatever_entry_is_there() {
    let mut group = patient().build_traced().unwrap();
    let ticket = submit(&mut group, "cut");
    group.controller_elect("node-2").unwrap();
    group.tick();
    // The others have the entry that was cut, so their logs already reach the next one's offset.
    let written = group.client_write("k", "new", AckLevel::AllIsr);
    assert_eq!(written, Ok(accepted(1)));
    assert_eq!(group.probe().tick, 1);
    assert_eq!(group.take_answer(ticket), None, "only ticks resolve it");
    group.tick();
    assert_eq!(group.take_answer(ticket), Some(accepted(1)));

    let probe = group.probe();
    let first_entry = |node: &str| {
        let entry = &probe.nodes[node].log[0];
        (entry.leader_epoch, String::from_utf8(entry.value.clone()).unwrap())
    };
    assert_eq!(first_entry("node-1"), (1, "cut".to_owned()));
    assert_eq!(first_entry("node-2"), (2, "new".to_owned()));
    assert_eq!(first_entry("node-3"), (1, "cut".to_owned()));
}

#[test]
fn a_write_is_looked_at_ack_timeout_times_a_tick_apart_and_not_once_more_after_the_last_tick() {
    // The entry arrives, and is committed, at tick 3: in time for a fourth look only.
    for (ack_timeout_ticks, result) in [(3, not_acknowledged(1)), (4, accepted(1))] {
        let builder = patient().replication_delay_ticks(3).ack_timeout_ticks(ack_timeout_ticks);
        let mut group = builder.build_traced().unwrap();
        let ticket = submit(&mut group, "v");
        for _ in 0..2 {
            group.tick();
            assert_eq!(group.take_answer(ticket), None);
        }
        group.tick();
        assert_eq!(group.take_answer(ticket), Some(result));
        let told = answer(result.accepted, 1, NodeSet::first(3), 1);
        assert_eq!(last_answer(&group), (3, told));
    }
}

#[test]
fn a_write_that_may_be_looked_at_once_fails_one_tick_later() {
    let mut group = patient().ack_timeout_ticks(1).build_traced().unwrap();
    assert_eq!(group.client_write("k", "v", AckLevel::AllIsr), Ok(not_acknowledged(1)));
    assert_eq!(last_answer(&group), (1, answer(false, 1, NodeSet::first(3), 1)));
}
