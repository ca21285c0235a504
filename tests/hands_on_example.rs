//! The hands-on example: one slow replica leaves, the others go on, and it comes back; and the
//! exercise that follows it, in which too many leave.

use highwater::isr::{AckLevel, IsrGroup, WriteReason, WriteResult};

fn three_nodes(replica_lag_timeout_ticks: u64) -> IsrGroup {
    IsrGroup::builder()
        .nodes(["node-1", "node-2", "node-3"])
        .min_insync_replicas(2)
        .replica_lag_timeout_ticks(replica_lag_timeout_ticks)
        .build()
        .unwrap()
}

/// node-3 is slow, and three writes are acknowledged by all of the ISR.
fn after_three_writes_past_a_slow_replica() -> (IsrGroup, Vec<WriteResult>) {
    let mut group = three_nodes(2);
    group.set_replica_slow("node-3", true).unwrap();
    let write = |value| group.client_write("k", value, AckLevel::AllIsr).unwrap();
    let results = ["v1", "v2", "v3"].map(write).to_vec();
    (group, results)
}

#[test]
fn with_one_slow_replica_the_last_of_three_writes_is_accepted_by_the_other_two_nodes() {
    let (group, results) = after_three_writes_past_a_slow_replica();
    let accepted =
        |offset| WriteResult { accepted: true, offset, reason: WriteReason::IsrAcknowledged };
    assert_eq!(results, [accepted(1), accepted(2), accepted(3)]);
    assert_eq!(group.isr(), ["node-1", "node-2"]);
    assert_eq!(group.high_watermark(), 3);
    assert_eq!(group.log_end_offset("node-3"), Ok(0));
}

#[test]
fn only_the_first_write_waits_for_the_slow_replica_to_be_dropped() {
    let mut group = three_nodes(2);
    group.set_replica_slow("node-3", true).unwrap();
    // node-2 has each entry one tick later; node-3 was last caught up at tick 0, and is out when
    // its lag reaches the timeout, 2.
    for tick_after in [2, 3, 4] {
        group.client_write("k", "v", AckLevel::AllIsr).unwrap();
        assert_eq!(group.probe().tick, tick_after);
        assert_eq!(group.isr(), ["node-1", "node-2"]);
    }
}

#[test]
fn once_the_replica_is_no_longer_slow_and_all_is_quiet_it_has_everything_and_is_back_in_the_isr() {
    let (mut group, _) = after_three_writes_past_a_slow_replica();
    group.set_replica_slow("node-3", false).unwrap();
    assert_eq!(group.isr(), ["node-1", "node-2"], "catching up has only begun");
    assert_eq!(group.run_until_idle(), Ok(1));
    assert_eq!(group.isr(), ["node-1", "node-2", "node-3"]);
    assert_eq!(group.log_end_offset("node-3"), Ok(3));
    assert_eq!(group.high_watermark(), 3);
}

#[test]
fn exercise_with_both_followers_slow_and_dropped_a_write_is_refused_and_nothing_is_appended() {
    let mut group = three_nodes(1);
    group.set_replica_slow("node-2", true).unwrap();
    group.set_replica_slow("node-3", true).unwrap();
    // Something to lag behind: a follower that misses nothing is caught up, however slow.
    group.client_write("k", "v1", AckLevel::Leader).unwrap();
    group.tick();
    group.tick();
    assert_eq!(group.isr(), ["node-1"]);

    let refused = group.client_write("k", "v2", AckLevel::AllIsr).unwrap();
    let reason = WriteReason::BelowMinInsync;
    assert_eq!(refused, WriteResult { accepted: false, offset: 1, reason });
    assert_eq!(group.log_end_offset("node-1"), Ok(1));
    assert_eq!(group.probe().tick, 2, "a refusal takes no time");
}

#[test]
fn exercise_with_nothing_to_lag_behind_slow_followers_stay_and_the_write_fails_only_once_they_lag()
{
    let mut group = three_nodes(1);
    group.set_replica_slow("node-2", true).unwrap();
    group.set_replica_slow("node-3", true).unwrap();
    group.tick();
    group.tick();
    assert_eq!(group.isr(), ["node-1", "node-2", "node-3"]);

    let failed = group.client_write("k", "v1", AckLevel::AllIsr).unwrap();
    let reason = WriteReason::NotAcknowledged;
    assert_eq!(failed, WriteResult { accepted: false, offset: 1, reason });
    assert_eq!(group.isr(), ["node-1"]);
    assert_eq!(group.log_end_offset("node-1"), Ok(1), "it was admitted, so it was appended");
}
