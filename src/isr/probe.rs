//! A partition's whole visible state, with names and bytes: for tests, tables and comparisons.

use crate::isr::group::IsrGroup;
use crate::isr::replica::CatchUpMode;
use highwater_invariants::{NodeId, Table, View};
use std::collections::BTreeMap;

/// The state of a group at one moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// The present tick.
    pub tick: u64,
    /// The current leader, up or down.
    pub leader: String,
    /// The current leader epoch, from 1.
    pub leader_epoch: u32,
    /// Counts elections, from 1.
    pub controller_epoch: u32,
    /// The in-sync replica set, sorted by name.
    pub isr: Vec<String>,
    /// The offset of the last committed entry; 0 if there is none.
    pub high_watermark: u32,
    /// The last tick at which authoritative reads are served.
    pub lease_expiry: i64,
    /// The offsets that can be replayed, oldest append first.
    pub retained_offsets: Vec<u32>,
    /// Messages in flight.
    pub in_flight: usize,
    /// Writes that wait for the ISR.
    pub pending_writes: usize,
    /// The nodes, by name.
    pub nodes: BTreeMap<String, NodeProbe>,
}

/// The state of one node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeProbe {
    /// Whether it is up.
    pub alive: bool,
    /// Whether it is the controller's leader.
    pub is_leader: bool,
    /// Its log.
    pub log: Vec<ProbeEntry>,
    /// The offset of its last entry; 0 if it has none.
    pub log_end_offset: u32,
    /// Through which offset it has applied committed entries.
    pub applied_hw: u32,
    /// What of its log would survive a lossy crash.
    pub durable_offset: u32,
    /// The replay of its whole log.
    pub data: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The replay of its log through the applied high watermark.
    pub committed_data: BTreeMap<Vec<u8>, Vec<u8>>,
    /// How it last got its entries.
    pub catch_up_mode: CatchUpMode,
}

/// A log entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProbeEntry {
    /// Its place in the log, from 1.
    pub offset: u32,
    /// The leader epoch in which it was written.
    pub leader_epoch: u32,
    /// The key.
    pub key: Vec<u8>,
    /// The value.
    pub value: Vec<u8>,
}

impl<R> IsrGroup<R> {
    /// The whole state, for looking at. Changes nothing.
    pub fn probe(&self) -> Probe {
        let partition = self.partition();
        let name = |node: NodeId| self.node_name(node).to_owned();
        let mut isr: Vec<_> = partition.isr().iter().map(name).collect();
        isr.sort();
        Probe {
            tick: partition.now().0,
            leader: name(partition.current_leader()),
            leader_epoch: partition.leader_epoch().0,
            controller_epoch: partition.controller_epoch(),
            isr,
            high_watermark: partition.high_watermark().0,
            lease_expiry: partition.lease_expiry(),
            retained_offsets: partition.retained_offsets().map(|offset| offset.0).collect(),
            in_flight: partition.in_flight(),
            pending_writes: partition.pending_writes(),
            nodes: View::nodes(partition)
                .iter()
                .map(|node| (name(node), self.probe_node(node)))
                .collect(),
        }
    }

    fn probe_node(&self, node: NodeId) -> NodeProbe {
        let partition = self.partition();
        let replica = partition.replica(node);
        NodeProbe {
            alive: partition.alive().contains(node),
            is_leader: partition.current_leader() == node,
            log: replica
                .log()
                .iter()
                .zip(1..)
                .map(|(entry, offset)| ProbeEntry {
                    offset,
                    leader_epoch: entry.leader_epoch().0,
                    key: self.key_bytes(entry.key()).to_vec(),
                    value: self.value_bytes(entry.value()).to_vec(),
                })
                .collect(),
            log_end_offset: replica.log_end_offset().0,
            applied_hw: replica.applied_high_watermark().0,
            durable_offset: replica.durable_offset().0,
            data: self.probe_table(replica.data()),
            committed_data: self.probe_table(replica.committed_data()),
            catch_up_mode: replica.catch_up_mode(),
        }
    }

    fn probe_table(&self, table: &Table) -> BTreeMap<Vec<u8>, Vec<u8>> {
        table
            .iter()
            .map(|(key, value)| (self.key_bytes(key).to_vec(), self.value_bytes(value).to_vec()))
            .collect()
    }
}
