//! A configuration for one sequence. Small numbers, since that is where edges are.

use crate::isr::{Limits, Rules, Settings};
use crate::scenario::Dice;
use highwater_invariants::NodeId;

/// Draws a configuration.
pub(super) fn draw(dice: &mut Dice, rules: Rules) -> Settings {
    let nodes: usize = dice.pick(&[2, 3, 3, 3, 3, 3, 4, 5]);
    let min_insync_replicas = dice.pick(&[1, 2, 2, 2, 2, 3]).min(nodes);
    let log_retention_entries = dice.pick(&[1, 2, 2, 3, 4, 8, 8, 16]);
    let replication_delay_ticks = dice.pick(&[1, 1, 1, 1, 2, 3]);
    Settings {
        nodes,
        leader: NodeId::new(0),
        min_insync_replicas,
        replica_lag_timeout_ticks: dice.pick(&[1, 1, 2, 3, 3, 4, 6]),
        log_retention_entries,
        replication_delay_ticks,
        ack_timeout_ticks: dice.pick(&[1, 2, 3, 5, 8, 32]),
        lease_duration_ticks: dice.pick(&[0, 1, 2, 4, 4, 8]),
        seed: 0,
        limits: Limits::for_engines(nodes, log_retention_entries, replication_delay_ticks),
        rules,
    }
}
