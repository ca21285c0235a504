//! The canonical encoding of a partition: its identity when states are compared.
//!
//! Time is relative in it, and clipped where it stops mattering; message ids and the trace are no
//! part of it.

use crate::isr::guards::Guard;
use crate::isr::partition::Partition;
use crate::isr::payload::Content;
use highwater_invariants::{Canonical, NodeId, Sink, View};

/// Writes the encoding of `state`.
pub(super) fn encode(state: &Partition, sink: &mut impl Sink) {
    encode_control(state, sink);
    encode_replicas(state, sink);
    encode_messages(state, sink);
    encode_pending(state, sink);
}

fn encode_control(state: &Partition, sink: &mut impl Sink) {
    let now = state.now();
    let control = &state.controller;
    let sets = [control.isr(), control.alive(), state.slow];
    sink.word(
        sets.into_iter()
            .map(|set| u64::from(set.bits()))
            .fold(control.leader().index() as u64, |word, set| word << 16 | set),
    );
    sink.word(u64::from(control.leader_epoch().0) << 32 | u64::from(control.high_watermark().0));
    // A lease that is over by one tick is over, and none lasts longer than a fresh one.
    let lease_left = state.lease_expiry.saturating_sub(now.0 as i64).max(-1);
    sink.word(lease_left as u64);
    // Lag is compared with the timeout, and by some guards with the timeout and the delay.
    let timeout = state.settings.replica_lag_timeout_ticks;
    let delay = if state.keeps_append_times() { state.settings.replication_delay_ticks } else { 0 };
    let lag_max = timeout.saturating_add(delay);
    for node in View::nodes(state).iter() {
        let lag = now.since(state.last_caught_up[node.index()]).min(lag_max);
        sink.word(lag << 16 | u64::from(state.network.cut_from(node).bits()));
    }
    sink.word(state.retained.entries().len() as u64);
    for (offset, entry) in state.retained.entries() {
        sink.word(u64::from(offset.0));
        sink.word(entry.bits());
    }
    sink.word(state.sent_by_operations as u64);
    sink.word(u64::from(state.halted) << 1 | u64::from(state.leader_is_fenced));
    if state.keeps_append_times() {
        for &appended in &state.appended_at {
            sink.word(now.since(appended).min(lag_max));
        }
        sink.word(u64::MAX);
    }
    // Both guards ask whether a catch-up may still be under way.
    if state.has(Guard::RetryCatchUp) || state.has(Guard::OneCatchUp) {
        let delay = state.settings.replication_delay_ticks;
        for node in View::nodes(state).iter() {
            let started = state.catch_up_started[node.index()];
            sink.word(started.map_or(delay + 1, |started| now.since(started).min(delay + 1)));
        }
    }
    sink.word(u64::from(state.committed_epoch.0));
}

/// The catch-up mode is left out: it is for looking at, nothing depends on it.
fn encode_replicas(state: &Partition, sink: &mut impl Sink) {
    for node in View::nodes(state).iter() {
        let replica = state.replica(node);
        replica.log().encode(sink);
        replica.durable_log().encode(sink);
        replica.data().encode(sink);
        replica.committed_data().encode(sink);
        sink.word(u64::from(replica.applied_high_watermark().0));
    }
}

fn encode_messages(state: &Partition, sink: &mut impl Sink) {
    sink.word(state.network.in_flight() as u64);
    let place = |node: NodeId| node.index() as u64;
    for (due, message) in state.network.messages() {
        let payload = message.payload;
        let route = place(message.source) << 8 | place(message.destination);
        sink.word(due.since(state.now()) << 24 | route << 8 | place(payload.source_leader));
        let epoch = u64::from(payload.leader_epoch.0) << 32;
        match payload.content {
            Content::Append { offset, entry, after } => {
                sink.word(u64::from(after.0));
                sink.word(epoch | u64::from(offset.0));
                sink.word(entry.bits());
            }
            Content::Snapshot(slot) => {
                let snapshot = state.snapshots.get(slot);
                // No append has offset 0.
                sink.word(epoch);
                snapshot.log.encode(sink);
                snapshot.data.encode(sink);
                sink.word(u64::from(snapshot.high_watermark.0));
            }
        }
    }
}

fn encode_pending(state: &Partition, sink: &mut impl Sink) {
    sink.word(state.pending.waiting().len() as u64);
    for pending in state.pending.waiting() {
        sink.word(pending.looks_left);
        sink.word(u64::from(pending.offset.0));
        sink.word(pending.entry.bits());
    }
}
