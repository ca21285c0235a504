//! From a scenario to bytes.

use super::{DELAY_MAX, FUZZ_INPUT_VERSION, FuzzInput, HEADER, KEYS, NO_LEASE, NUMBER_MAX};
use super::{OPERATIONS_MAX, RECORD};
use crate::isr::{Operation, Settings, Variant};
use highwater_invariants::{AckLevel, KeyId, NodeId, ReadLevel, ValueId};

/// What of a scenario has no place in an input: where in the scenario, and why.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("at {place}: {reason}")]
pub struct DoesNotFit {
    /// The JSON path, as in `config.ack_timeout`.
    pub place: String,
    /// Why.
    pub reason: String,
}

impl FuzzInput {
    /// The canonical bytes of this input.
    ///
    /// # Errors
    /// A scenario of a file may have larger numbers, more keys or more operations than an input can
    /// say. What was decoded can always be encoded.
    pub fn encode(&self) -> Result<Vec<u8>, DoesNotFit> {
        let Self { settings, operations } = self;
        if operations.len() > OPERATIONS_MAX {
            let reason = format!("{} operations are more than {OPERATIONS_MAX}", operations.len());
            return Err(DoesNotFit { place: "ops".into(), reason });
        }
        let mut bytes = Vec::with_capacity(HEADER + RECORD * operations.len());
        bytes.extend(header(settings)?);
        let mut names = FirstUse::default();
        for (index, &operation) in operations.iter().enumerate() {
            let record = record(operation, &mut names).map_err(|(field, reason)| DoesNotFit {
                place: format!("ops[{index}].{field}"),
                reason,
            })?;
            bytes.extend(record);
        }
        Ok(bytes)
    }
}

type Field<T> = Result<T, (&'static str, String)>;

/// `number` as a byte, if an input can say it.
fn small<N: TryInto<u8> + Copy + ToString>(field: &'static str, number: N, max: u8) -> Field<u8> {
    number.try_into().ok().filter(|&number| number <= max).ok_or_else(|| {
        (
            field,
            format!("{} is beyond {max}, the most that a fuzz input can say", number.to_string()),
        )
    })
}

fn header(settings: &Settings) -> Result<[u8; HEADER], DoesNotFit> {
    let fields = || {
        let variant = Variant::ALL.iter().position(|&known| known == settings.rules.variant);
        let off = settings.rules.without.iter().fold(0_u32, |off, guard| off | 1 << guard as u32);
        let [off0, off1, off2, _] = off.to_le_bytes();
        Ok([
            FUZZ_INPUT_VERSION,
            variant.unwrap_or_default() as u8,
            off0,
            off1,
            off2,
            settings.nodes as u8,
            settings.leader.index() as u8,
            settings.min_insync_replicas as u8,
            small("replica_lag_timeout", settings.replica_lag_timeout_ticks, NUMBER_MAX)?,
            small("log_retention", settings.log_retention_entries, NUMBER_MAX)?,
            small("replication_delay", settings.replication_delay_ticks, DELAY_MAX)?,
            small("ack_timeout", settings.ack_timeout_ticks, NUMBER_MAX)?,
            // With any negative duration no lease is ever valid.
            match settings.lease_duration_ticks {
                ..0 => NO_LEASE,
                ticks => small("lease_duration", ticks, NUMBER_MAX)?,
            },
        ])
    };
    fields().map_err(|(field, reason)| DoesNotFit { place: format!("config.{field}"), reason })
}

fn record(operation: Operation, names: &mut FirstUse) -> Field<[u8; RECORD]> {
    let kind = operation.number() as u8;
    let of_node = |node: NodeId| node.index() as u8;
    let of_message = |message: usize| small("message", message, NUMBER_MAX);
    let [a, b, c] = match operation {
        Operation::Write { key, value, ack } | Operation::Submit { key, value, ack } => {
            let ack = match ack {
                AckLevel::AllIsr => 0,
                AckLevel::Leader => 1,
                AckLevel::None => 2,
                AckLevel::Quorum => 3,
            };
            [ack, names.key(key)?, names.value(value)]
        }
        Operation::Read { key, level, node } => {
            let level = match level {
                ReadLevel::Local => 0,
                ReadLevel::Leader => 1,
                ReadLevel::Linearizable => 2,
            };
            [level, names.key(key)?, node.map_or(0, |node| of_node(node) + 1)]
        }
        Operation::LeaseRead { node, key } => [of_node(node), names.key(key)?, 0],
        Operation::Tick | Operation::RunUntilIdle => [0; 3],
        Operation::SetReplicaSlow { node, slow } => [of_node(node), slow.into(), 0],
        Operation::Crash { node, lose_unfsynced } => [of_node(node), lose_unfsynced.into(), 0],
        Operation::Fsync { node }
        | Operation::Restart { node }
        | Operation::Isolate { node }
        | Operation::Heal { node }
        | Operation::ControllerElect { node } => [of_node(node), 0, 0],
        Operation::DropMessage { message }
        | Operation::DuplicateMessage { message }
        | Operation::ReorderMessage { message } => [of_message(message)?, 0, 0],
        Operation::DelayMessage { message, ticks } => {
            [of_message(message)?, small("ticks", ticks, NUMBER_MAX)?, 0]
        }
        Operation::CutLink { node, peer } | Operation::HealLink { node, peer } => {
            [of_node(node), of_node(peer), 0]
        }
    };
    Ok([kind, a, b, c])
}

/// Keys and values in the order of their first use.
#[derive(Default)]
struct FirstUse {
    keys: Vec<KeyId>,
    values: Vec<ValueId>,
}

impl FirstUse {
    fn key(&mut self, key: KeyId) -> Field<u8> {
        let known = self.keys.iter().position(|&other| other == key);
        let index = known.unwrap_or_else(|| {
            self.keys.push(key);
            self.keys.len() - 1
        });
        let reason = || format!("more than {KEYS} keys, the most that a fuzz input can say");
        u8::try_from(index).ok().filter(|&index| index < KEYS).ok_or_else(|| ("key", reason()))
    }

    fn value(&mut self, value: ValueId) -> u8 {
        if let Some(index) = self.values.iter().position(|&other| other == value) {
            // At most OPERATIONS_MAX - 1 values came before.
            return (self.values.len() - index) as u8;
        }
        self.values.push(value);
        0
    }
}
