//! What is simpler than an operation or a configuration, for shrinking.

use crate::isr::model::IsrModel;
use crate::isr::operation::Operation;
use crate::isr::settings::{Limits, Settings};
use crate::model::Simplify;
use highwater_invariants::{AckLevel, KeyId, NodeId, NodeSet, ReadLevel, ValueId};

/// The simplest configuration.
const DEFAULTS: Settings = Settings::DEFAULTS;

impl Simplify for IsrModel {
    fn complexity(settings: &Settings, operations: &[Operation]) -> u64 {
        let operations: u64 = operations.iter().map(|&operation| weight(operation)).sum();
        operations * 64 + oddness(settings)
    }

    fn simpler_operations(operation: Operation, simpler: &mut Vec<Operation>) {
        simpler_kinds(operation, simpler);
        simpler.retain(|&other| weight(other) < weight(operation));
    }

    fn written_out_recovery(settings: &Settings) -> Vec<Operation> {
        let nodes = || NodeSet::first(settings.nodes).iter();
        let mut operations: Vec<_> = nodes().map(|node| Operation::Restart { node }).collect();
        // A follower that came up before its leader is caught up by healing it again.
        operations.extend(nodes().map(|node| Operation::Heal { node }));
        operations.extend(nodes().map(|node| Operation::SetReplicaSlow { node, slow: false }));
        let (key, value) = (Settings::PROBE_KEY, Settings::PROBE_VALUE);
        for _ in 0..4 {
            operations.push(Operation::Write { key, value, ack: AckLevel::AllIsr });
            operations.extend([Operation::Tick, Operation::RunUntilIdle]);
        }
        operations
    }

    fn merged(first: Operation, second: Operation) -> Option<Operation> {
        let passes_time =
            |operation| matches!(operation, Operation::Tick | Operation::RunUntilIdle);
        (passes_time(first) && passes_time(second)).then_some(Operation::RunUntilIdle)
    }

    fn simpler_settings(settings: &Settings, simpler: &mut Vec<Settings>) {
        let all = Settings {
            nodes: settings.nodes,
            leader: settings.leader,
            rules: settings.rules,
            ..DEFAULTS
        };
        let fits = all.min_insync_replicas.min(settings.nodes);
        simpler.push(Settings { min_insync_replicas: fits, ..all });
        simpler.push(Settings { leader: NodeId::new(0), ..*settings });
        simpler.push(Settings { min_insync_replicas: fits, ..*settings });
        let timeout = DEFAULTS.replica_lag_timeout_ticks;
        simpler.push(Settings { replica_lag_timeout_ticks: timeout, ..*settings });
        let retention = DEFAULTS.log_retention_entries;
        simpler.push(Settings { log_retention_entries: retention, ..*settings });
        simpler.push(Settings { replication_delay_ticks: 1, ..*settings });
        let timeout = DEFAULTS.ack_timeout_ticks;
        simpler.push(Settings { ack_timeout_ticks: timeout, ..*settings });
        let duration = DEFAULTS.lease_duration_ticks;
        simpler.push(Settings { lease_duration_ticks: duration, ..*settings });
        simpler.push(Settings { seed: 0, ..*settings });
        for one in simpler.iter_mut() {
            one.limits = limits_of(one);
        }
        simpler.retain(|one| oddness(one) < oddness(settings));
    }

    fn without_node(
        settings: &Settings,
        operations: &[Operation],
        node: usize,
    ) -> Option<(Settings, Vec<Operation>)> {
        let nodes = settings.nodes - 1;
        if nodes < 2 || node == settings.leader.index() || node >= settings.nodes {
            return None;
        }
        let moved = |other: NodeId| match other.index() {
            index if index == node => None,
            index if index > node => Some(NodeId::new(index - 1)),
            _ => Some(other),
        };
        let mut smaller = Settings {
            nodes,
            leader: moved(settings.leader)?,
            min_insync_replicas: settings.min_insync_replicas.min(nodes),
            ..*settings
        };
        smaller.limits = limits_of(&smaller);
        let operations = operations.iter().filter_map(|operation| operation.map_nodes(moved));
        Some((smaller, operations.collect()))
    }

    fn renamed(settings: &Settings, operations: &[Operation]) -> (Settings, Vec<Operation>) {
        let mut nodes = FirstUse::default();
        nodes.number(settings.leader.index());
        for operation in operations {
            for node in operation.nodes().into_iter().flatten() {
                nodes.number(node.index());
            }
        }
        let (mut keys, mut values) = (FirstUse::default(), FirstUse::default());
        let renamed = operations.iter().map(|operation| {
            let operation = operation
                .map_nodes(|node| Some(NodeId::new(nodes.number(node.index()))))
                .unwrap_or(*operation);
            operation.map_names(
                |key| KeyId(keys.number(usize::from(key.0)) as u16),
                |value| ValueId::from_index(values.number(value.index())).unwrap_or(value),
            )
        });
        let operations = renamed.collect();
        let leader = NodeId::new(nodes.number(settings.leader.index()));
        (Settings { leader, ..*settings }, operations)
    }
}

/// Numbers things in the order of their first use.
#[derive(Default)]
struct FirstUse(Vec<usize>);

impl FirstUse {
    fn number(&mut self, thing: usize) -> usize {
        self.0.iter().position(|&other| other == thing).unwrap_or_else(|| {
            self.0.push(thing);
            self.0.len() - 1
        })
    }
}

fn limits_of(settings: &Settings) -> Limits {
    let Settings { nodes, log_retention_entries, replication_delay_ticks, .. } = *settings;
    Limits::for_engines(nodes, log_retention_entries, replication_delay_ticks)
}

/// How far a configuration is from the defaults, in numbers that are not theirs.
fn oddness(settings: &Settings) -> u64 {
    let fits = DEFAULTS.min_insync_replicas.min(settings.nodes);
    let odd = [
        settings.leader != DEFAULTS.leader,
        settings.min_insync_replicas != fits,
        settings.replica_lag_timeout_ticks != DEFAULTS.replica_lag_timeout_ticks,
        settings.log_retention_entries != DEFAULTS.log_retention_entries,
        settings.replication_delay_ticks != DEFAULTS.replication_delay_ticks,
        settings.ack_timeout_ticks != DEFAULTS.ack_timeout_ticks,
        settings.lease_duration_ticks != DEFAULTS.lease_duration_ticks,
        settings.seed != DEFAULTS.seed,
    ];
    settings.nodes as u64 * 8 + odd.into_iter().filter(|&odd| odd).count() as u64
}

/// How complicated an operation is for a reader.
fn weight(operation: Operation) -> u64 {
    let ack = |ack| match ack {
        AckLevel::AllIsr => 0,
        AckLevel::Leader => 1,
        AckLevel::None | AckLevel::Quorum => 2,
    };
    match operation {
        Operation::Tick => 0,
        Operation::RunUntilIdle => 1,
        Operation::Write { ack: level, .. } => 2 + ack(level),
        Operation::Read { node, .. } => 2 + u64::from(node.is_some()),
        Operation::Heal { .. } | Operation::Fsync { .. } => 3,
        Operation::DropMessage { message } => 5 + message as u64,
        Operation::DelayMessage { message, ticks } => 6 + message as u64 + ticks,
        Operation::DuplicateMessage { message } | Operation::ReorderMessage { message } => {
            7 + message as u64
        }
        Operation::LeaseRead { .. }
        | Operation::HealLink { .. }
        | Operation::Restart { .. }
        | Operation::ControllerElect { .. } => 4,
        Operation::SetReplicaSlow { slow, .. } => 4 + u64::from(!slow),
        Operation::Crash { lose_unfsynced, .. } => 5 + 2 * u64::from(lose_unfsynced),
        Operation::CutLink { .. } => 5,
        Operation::Isolate { .. } => 6,
        Operation::Submit { ack: level, .. } => 6 + ack(level),
    }
}

fn simpler_kinds(operation: Operation, simpler: &mut Vec<Operation>) {
    match operation {
        Operation::Submit { key, value, ack } => {
            simpler.push(Operation::Write { key, value, ack: AckLevel::AllIsr });
            simpler.push(Operation::Write { key, value, ack });
            simpler.push(Operation::Submit { key, value, ack: AckLevel::AllIsr });
        }
        Operation::Write { key, value, .. } => {
            simpler.push(Operation::Write { key, value, ack: AckLevel::AllIsr });
            simpler.push(Operation::Write { key, value, ack: AckLevel::Leader });
        }
        Operation::LeaseRead { key, .. } | Operation::Read { key, .. } => {
            simpler.push(Operation::Read { key, level: ReadLevel::Linearizable, node: None });
        }
        Operation::RunUntilIdle => simpler.push(Operation::Tick),
        Operation::Crash { node, .. } => {
            simpler.push(Operation::Crash { node, lose_unfsynced: false });
        }
        Operation::Isolate { node } => {
            simpler.push(Operation::SetReplicaSlow { node, slow: true });
            simpler.push(Operation::Crash { node, lose_unfsynced: false });
        }
        Operation::SetReplicaSlow { node, slow: false } => {
            simpler.push(Operation::Heal { node });
        }
        Operation::Restart { node } => simpler.push(Operation::Heal { node }),
        Operation::DropMessage { message } if message > 0 => {
            simpler.push(Operation::DropMessage { message: 0 });
            simpler.push(Operation::DropMessage { message: message - 1 });
        }
        Operation::DuplicateMessage { message } | Operation::ReorderMessage { message } => {
            simpler.push(Operation::DropMessage { message });
            if message > 0 {
                simpler.push(operation.with_message(0));
                simpler.push(operation.with_message(message - 1));
            }
        }
        Operation::DelayMessage { message, ticks } => {
            simpler.push(Operation::DropMessage { message });
            simpler.push(Operation::DelayMessage { message: 0, ticks });
            simpler.push(Operation::DelayMessage { message, ticks: 1 });
        }
        _ => {}
    }
    simpler.push(Operation::Tick);
}
