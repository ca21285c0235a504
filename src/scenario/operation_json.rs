//! Operations to and from JSON.

use crate::isr::{AckLevel, Operation, ReadLevel};
use crate::scenario::bytes::Bytes;
use crate::scenario::names::ScenarioNames;
use crate::scenario::{NUMBER_MAX, RawOperation};
use highwater_invariants::{KeyId, NodeId, ValueId};
use serde_json::{Map, Value, json};

/// What is wrong with an operation: the field, and why.
pub(crate) type FieldError = (&'static str, String);
type Result<T> = std::result::Result<T, FieldError>;

const ACK_LEVELS: [(&str, AckLevel); 4] = [
    ("NONE", AckLevel::None),
    ("LEADER", AckLevel::Leader),
    ("QUORUM", AckLevel::Quorum),
    ("ALL_ISR", AckLevel::AllIsr),
];

const READ_LEVELS: [(&str, ReadLevel); 3] = [
    ("LOCAL", ReadLevel::Local),
    ("LEADER", ReadLevel::Leader),
    ("LINEARIZABLE", ReadLevel::Linearizable),
];

fn by_name<T: Copy>(table: &[(&str, T)], field: &'static str, name: &str) -> Result<T> {
    let found = table.iter().find(|(other, _)| *other == name);
    found.map(|&(_, level)| level).ok_or_else(|| {
        let known: Vec<_> = table.iter().map(|(name, _)| *name).collect();
        (field, format!("unknown level {name:?}; known are {}", known.join(", ")))
    })
}

fn name_of<T: Copy + PartialEq>(table: &[(&'static str, T)], level: T) -> &'static str {
    table.iter().find(|&&(_, other)| other == level).map_or("", |(name, _)| name)
}

impl RawOperation {
    pub(crate) fn ack_level(&self) -> Result<AckLevel> {
        by_name(&ACK_LEVELS, "ack", required("ack", self.ack.as_deref())?)
    }

    pub(crate) fn read_level(&self) -> Result<ReadLevel> {
        by_name(&READ_LEVELS, "level", required("level", self.level.as_deref())?)
    }

    pub(crate) fn key_bytes(&self) -> Result<&[u8]> {
        Ok(&required("key", self.key.as_ref())?.0)
    }

    pub(crate) fn value_bytes(&self) -> Result<&[u8]> {
        Ok(&required("value", self.value.as_ref())?.0)
    }

    pub(crate) fn node_name(&self) -> Result<&str> {
        required("node", self.node.as_deref())
    }

    pub(crate) fn is_slow(&self) -> Result<bool> {
        required("slow", self.slow)
    }

    /// Refuses an unknown operation, and fields that this operation does not have.
    pub(crate) fn check_fields(&self) -> Result<()> {
        let allowed: &[&str] = match self.op.as_str() {
            "write" | "submit" => &["key", "value", "ack"],
            "read" => &["key", "level", "node"],
            "lease_read" => &["node", "key"],
            "tick" | "run_until_idle" => &[],
            "set_replica_slow" => &["node", "slow"],
            "crash" => &["node", "lose_unfsynced"],
            "drop_message" | "duplicate_message" | "reorder_message" => &["message"],
            "delay_message" => &["message", "ticks"],
            "cut_link" | "heal_link" => &["node", "peer"],
            "fsync" | "restart" | "isolate" | "heal" | "controller_elect" => &["node"],
            other => {
                let known = Operation::KINDS.map(|(name, _)| name).join(", ");
                return Err(("op", format!("unknown operation {other:?}; known are {known}")));
            }
        };
        let given = [
            ("key", self.key.is_some()),
            ("value", self.value.is_some()),
            ("ack", self.ack.is_some()),
            ("level", self.level.is_some()),
            ("node", self.node.is_some()),
            ("peer", self.peer.is_some()),
            ("message", self.message.is_some()),
            ("ticks", self.ticks.is_some()),
            ("slow", self.slow.is_some()),
            ("lose_unfsynced", self.lose_unfsynced.is_some()),
        ];
        for (field, is_given) in given {
            if is_given && !allowed.contains(&field) {
                return Err((field, format!("{:?} takes no field {field:?}", self.op)));
            }
        }
        Ok(())
    }

    /// The operation, with ids for names; new keys and values are given ids.
    pub(crate) fn resolve(&self, nodes: &[String], names: &mut ScenarioNames) -> Result<Operation> {
        self.check_fields()?;
        let node = || self.node_name().and_then(|name| find_node(nodes, name));
        let peer = || {
            let name = required("peer", self.peer.as_deref())?;
            find_node(nodes, name).map_err(|(_, reason)| ("peer", reason))
        };
        let message = || required("message", self.message);
        Ok(match self.op.as_str() {
            "write" | "submit" => {
                let (key, value) = (self.key_id(names)?, self.value_id(names)?);
                let ack = self.ack_level()?;
                if self.op == "write" {
                    Operation::Write { key, value, ack }
                } else {
                    Operation::Submit { key, value, ack }
                }
            }
            "read" => {
                let node = self.node.as_deref().map(|name| find_node(nodes, name)).transpose()?;
                Operation::Read { key: self.key_id(names)?, level: self.read_level()?, node }
            }
            "lease_read" => Operation::LeaseRead { node: node()?, key: self.key_id(names)? },
            "tick" => Operation::Tick,
            "run_until_idle" => Operation::RunUntilIdle,
            "set_replica_slow" => {
                Operation::SetReplicaSlow { node: node()?, slow: self.is_slow()? }
            }
            "fsync" => Operation::Fsync { node: node()? },
            "crash" => {
                let lose_unfsynced = self.lose_unfsynced.unwrap_or(false);
                Operation::Crash { node: node()?, lose_unfsynced }
            }
            "restart" => Operation::Restart { node: node()? },
            "isolate" => Operation::Isolate { node: node()? },
            "heal" => Operation::Heal { node: node()? },
            "drop_message" => Operation::DropMessage { message: message()? },
            "duplicate_message" => Operation::DuplicateMessage { message: message()? },
            "reorder_message" => Operation::ReorderMessage { message: message()? },
            "delay_message" => {
                let ticks = u64::from(required("ticks", self.ticks)?);
                if ticks > NUMBER_MAX {
                    return Err(("ticks", format!("{ticks} is more than {NUMBER_MAX}")));
                }
                Operation::DelayMessage { message: message()?, ticks }
            }
            "cut_link" => Operation::CutLink { node: node()?, peer: peer()? },
            "heal_link" => Operation::HealLink { node: node()?, peer: peer()? },
            _ => Operation::ControllerElect { node: node()? },
        })
    }

    fn key_id(&self, names: &mut ScenarioNames) -> Result<KeyId> {
        names.interner.key(self.key_bytes()?).map_err(|full| ("key", full.to_string()))
    }

    fn value_id(&self, names: &mut ScenarioNames) -> Result<ValueId> {
        names.interner.value(self.value_bytes()?).map_err(|full| ("value", full.to_string()))
    }
}

fn required<T>(field: &'static str, given: Option<T>) -> Result<T> {
    given.ok_or_else(|| (field, format!("missing field {field:?}")))
}

fn find_node(nodes: &[String], name: &str) -> Result<NodeId> {
    let index = nodes.iter().position(|node| node == name);
    index
        .map(NodeId::new)
        .ok_or_else(|| ("node", format!("unknown node {name:?}; known are {}", nodes.join(", "))))
}

/// The JSON of an operation, as in scenario files.
pub fn operation_json(operation: Operation, names: &ScenarioNames) -> Value {
    let mut json = Map::new();
    json.insert("op".into(), json!(operation.kind()));
    let mut set = |field: &str, value: Value| {
        json.insert(field.into(), value);
    };
    let node_name = |node| json!(names.node_name(node));
    let bytes = Bytes::to_json;
    match operation {
        Operation::Write { key, value, ack } | Operation::Submit { key, value, ack } => {
            set("key", bytes(&names.key_bytes(key)));
            set("value", bytes(&names.value_bytes(value)));
            set("ack", json!(name_of(&ACK_LEVELS, ack)));
        }
        Operation::Read { key, level, node } => {
            set("key", bytes(&names.key_bytes(key)));
            set("level", json!(name_of(&READ_LEVELS, level)));
            if let Some(node) = node {
                set("node", node_name(node));
            }
        }
        Operation::LeaseRead { node, key } => {
            set("node", node_name(node));
            set("key", bytes(&names.key_bytes(key)));
        }
        Operation::Tick | Operation::RunUntilIdle => {}
        Operation::SetReplicaSlow { node, slow } => {
            set("node", node_name(node));
            set("slow", json!(slow));
        }
        Operation::DropMessage { message }
        | Operation::DuplicateMessage { message }
        | Operation::ReorderMessage { message } => set("message", json!(message)),
        Operation::DelayMessage { message, ticks } => {
            set("message", json!(message));
            set("ticks", json!(ticks));
        }
        Operation::CutLink { node, peer } | Operation::HealLink { node, peer } => {
            set("node", node_name(node));
            set("peer", node_name(peer));
        }
        Operation::Crash { node, lose_unfsynced } => {
            set("node", node_name(node));
            set("lose_unfsynced", json!(lose_unfsynced));
        }
        Operation::Fsync { node }
        | Operation::Restart { node }
        | Operation::Isolate { node }
        | Operation::Heal { node }
        | Operation::ControllerElect { node } => set("node", node_name(node)),
    }
    Value::Object(json)
}
