//! From bytes to a scenario.

use super::{DELAY_MAX, FUZZ_INPUT_VERSION, FuzzInput, HEADER, KEYS, NO_LEASE, NUMBER_MAX};
use super::{NotAnInput, OPERATIONS_MAX, RECORD};
use crate::isr::{Limits, Operation, Rules, Settings, Variant};
use highwater_invariants::{AckLevel, KeyId, MAX_NODES, NodeId, ReadLevel, ValueId};

impl FuzzInput {
    /// The scenario that these bytes are.
    ///
    /// # Errors
    /// They have another version, or are too short for a configuration. Any others are an input.
    pub fn decode(bytes: &[u8]) -> Result<Self, NotAnInput> {
        match bytes.first() {
            Some(&FUZZ_INPUT_VERSION) => {}
            Some(&version) => return Err(NotAnInput::Version(version)),
            None => return Err(NotAnInput::TooShort(0)),
        }
        let Some((header, records)) = bytes.split_first_chunk::<HEADER>() else {
            return Err(NotAnInput::TooShort(bytes.len()));
        };
        let settings = settings(header);
        let mut names = FirstUse::default();
        let (records, _) = records.as_chunks::<RECORD>();
        let records = records.iter().take(OPERATIONS_MAX);
        let operations =
            records.map(|&record| operation(record, settings.nodes, &mut names)).collect();
        Ok(Self { settings, operations })
    }
}

/// `byte` itself if it is in the range, else one of the `usual` smallest numbers of it.
const fn fold(byte: u8, first: u8, last: u8, usual: u8) -> u8 {
    if first <= byte && byte <= last { byte } else { first + byte % usual }
}

fn settings(header: &[u8; HEADER]) -> Settings {
    let &[
        _,
        variant,
        off0,
        off1,
        off2,
        nodes,
        leader,
        min_insync,
        lag,
        retention,
        delay,
        ack,
        lease,
    ] = header;
    let nodes = usize::from(fold(nodes, 2, MAX_NODES as u8, 4));
    let log_retention_entries = usize::from(fold(retention, 1, NUMBER_MAX, 8));
    let replication_delay_ticks = u64::from(fold(delay, 1, DELAY_MAX, 3));
    Settings {
        nodes,
        leader: NodeId::new(usize::from(leader) % nodes),
        min_insync_replicas: usize::from(fold(min_insync, 1, nodes as u8, nodes as u8)),
        replica_lag_timeout_ticks: fold(lag, 1, NUMBER_MAX, 8).into(),
        log_retention_entries,
        replication_delay_ticks,
        ack_timeout_ticks: fold(ack, 1, NUMBER_MAX, 8).into(),
        lease_duration_ticks: match lease {
            NO_LEASE => -1,
            _ => fold(lease, 0, NUMBER_MAX, 8).into(),
        },
        seed: 0,
        limits: Limits::for_engines(nodes, log_retention_entries, replication_delay_ticks),
        rules: rules(variant, u32::from_le_bytes([off0, off1, off2, 0])),
    }
}

fn rules(variant: u8, off: u32) -> Rules {
    let variant = Variant::ALL[usize::from(variant) % Variant::ALL.len()];
    let off = variant.guards().iter().filter(|&guard| off & 1 << guard as u32 != 0);
    off.fold(Rules::of(variant), Rules::without)
}

fn operation(record: [u8; RECORD], nodes: usize, names: &mut FirstUse) -> Operation {
    let [kind, a, b, c] = record;
    let node = |byte: u8| NodeId::new(usize::from(byte) % nodes);
    let message = |byte: u8| usize::from(fold(byte, 0, NUMBER_MAX, 4));
    match usize::from(kind) % Operation::NAMES.len() {
        0 => Operation::Write { ack: ack(a), key: names.key(b), value: names.value(c) },
        1 => Operation::Submit { ack: ack(a), key: names.key(b), value: names.value(c) },
        2 => Operation::Read {
            level: [ReadLevel::Local, ReadLevel::Leader, ReadLevel::Linearizable]
                [usize::from(a % 3)],
            key: names.key(b),
            node: if c == 0 { None } else { Some(node(c - 1)) },
        },
        3 => Operation::LeaseRead { node: node(a), key: names.key(b) },
        4 => Operation::Tick,
        5 => Operation::RunUntilIdle,
        6 => Operation::SetReplicaSlow { node: node(a), slow: b % 2 == 1 },
        7 => Operation::Fsync { node: node(a) },
        8 => Operation::Crash { node: node(a), lose_unfsynced: b % 2 == 1 },
        9 => Operation::Restart { node: node(a) },
        10 => Operation::Isolate { node: node(a) },
        11 => Operation::Heal { node: node(a) },
        12 => Operation::ControllerElect { node: node(a) },
        13 => Operation::DropMessage { message: message(a) },
        14 => Operation::DuplicateMessage { message: message(a) },
        15 => {
            Operation::DelayMessage { message: message(a), ticks: fold(b, 0, NUMBER_MAX, 4).into() }
        }
        16 => Operation::ReorderMessage { message: message(a) },
        17 => Operation::CutLink { node: node(a), peer: node(b) },
        _ => Operation::HealLink { node: node(a), peer: node(b) },
    }
}

/// Levels that every write may have are the likely ones.
fn ack(byte: u8) -> AckLevel {
    match fold(byte, 0, 3, 2) {
        0 => AckLevel::AllIsr,
        1 => AckLevel::Leader,
        2 => AckLevel::None,
        _ => AckLevel::Quorum,
    }
}

/// Numbers keys and values in the order of their first use.
#[derive(Default)]
struct FirstUse {
    keys: [Option<KeyId>; KEYS as usize],
    keys_used: u16,
    values_used: usize,
}

impl FirstUse {
    fn key(&mut self, byte: u8) -> KeyId {
        let key = &mut self.keys[usize::from(fold(byte, 0, KEYS - 1, 3))];
        *key.get_or_insert_with(|| {
            self.keys_used += 1;
            KeyId(self.keys_used - 1)
        })
    }

    /// A fresh value, or the one so many distinct values back.
    fn value(&mut self, back: u8) -> ValueId {
        let index = match usize::from(back).checked_sub(1) {
            Some(before_last) if self.values_used > 0 => {
                self.values_used - 1 - before_last % self.values_used
            }
            _ => {
                self.values_used += 1;
                self.values_used - 1
            }
        };
        ValueId::from_index(index).unwrap_or(Settings::PROBE_VALUE)
    }
}
