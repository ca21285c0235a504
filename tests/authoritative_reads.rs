//! When an authoritative read is refused although nothing uncommitted stands in its way: the lease
//! is over, too few are in sync, or the node does not lead.

use highwater::isr::{GroupBuilder, IsrError, IsrGroup, ReadLevel};

fn three_nodes() -> GroupBuilder {
    IsrGroup::builder().nodes(["node-1", "node-2", "node-3"]).min_insync_replicas(2)
}

#[test]
fn without_a_valid_lease_both_authoritative_reads_are_refused_each_in_its_own_words() {
    let mut group = three_nodes().lease_duration_ticks(-1).build().unwrap();
    let linearizable = group.client_read("k", ReadLevel::Linearizable, None);
    assert_eq!(linearizable, Err(IsrError::NoCommittedLease));
    assert_eq!(group.lease_read("node-1", "k"), Err(IsrError::LeaseExpiredOrFenced));
}

#[test]
fn a_lease_of_no_ticks_is_valid_within_the_tick_that_renewed_it() {
    let mut group = three_nodes().lease_duration_ticks(0).build().unwrap();
    assert!(group.lease_read("node-1", "k").is_ok());
    group.tick();
    assert!(group.lease_read("node-1", "k").is_ok());
}

#[test]
fn below_min_insync_reads_are_refused_at_once_and_the_lease_runs_out_later() {
    let mut group = three_nodes().lease_duration_ticks(4).build().unwrap();
    group.crash("node-2", false).unwrap();
    group.crash("node-3", false).unwrap();
    for _ in 0..=4 {
        let linearizable = group.client_read("k", ReadLevel::Linearizable, None);
        assert_eq!(linearizable, Err(IsrError::NoCommittedLease));
        assert_eq!(group.lease_read("node-1", "k"), Err(IsrError::NoCommittedLease));
        group.tick();
    }
    // The crash of node-2 at tick 0 left enough for a renewal, so that tick 4 was the last.
    assert_eq!(group.probe().tick, 5);
    assert_eq!(group.lease_read("node-1", "k"), Err(IsrError::LeaseExpiredOrFenced));
}

#[test]
fn a_lease_read_at_a_node_that_does_not_lead_is_refused_whether_it_is_up_down_or_unknown() {
    let mut group = three_nodes().build().unwrap();
    group.crash("node-3", false).unwrap();
    for node in ["node-2", "node-3", "nobody"] {
        assert_eq!(group.lease_read(node, "k"), Err(IsrError::LeaseExpiredOrFenced), "{node}");
    }
    group.controller_elect("node-2").unwrap();
    assert_eq!(group.lease_read("node-1", "k"), Err(IsrError::LeaseExpiredOrFenced), "deposed");
    group.crash("node-2", false).unwrap();
    let leader_is_down = Err(IsrError::NodeCrashed("node-2".into()));
    assert_eq!(group.lease_read("node-2", "k"), leader_is_down);
}

#[test]
fn a_node_may_be_named_for_a_local_read_only_and_that_is_checked_first() {
    let mut group = three_nodes().build().unwrap();
    group.crash("node-1", false).unwrap();
    for (level, words) in [
        (ReadLevel::Leader, "leader read does not accept an explicit node"),
        (ReadLevel::Linearizable, "linearizable read does not accept an explicit node"),
    ] {
        let refused = group.client_read("k", level, Some("nobody")).unwrap_err();
        assert_eq!(refused, IsrError::NodeNotAccepted(level));
        assert_eq!(refused.to_string(), words);
        let leader_is_down = Err(IsrError::NodeCrashed("node-1".into()));
        assert_eq!(group.client_read("k", level, None), leader_is_down);
    }
    let unknown = group.client_read("k", ReadLevel::Local, Some("nobody"));
    assert_eq!(unknown, Err(IsrError::UnknownNode("nobody".into())));
    assert_eq!(group.client_read("k", ReadLevel::Local, Some("node-2")).unwrap().value, None);
}
