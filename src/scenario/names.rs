//! What the ids in a scenario stand for.

use crate::isr::{Interner, Settings, TraceNames};
use crate::scenario::bytes::{Bytes, printable};
use highwater_invariants::{KeyId, Names, NodeId, ValueId};
use serde_json::{Value, json};

/// Nodes, keys and values of one scenario.
#[derive(Clone, Debug, Default)]
pub struct ScenarioNames {
    nodes: Vec<String>,
    /// Keys and values.
    pub interner: Interner,
}

impl ScenarioNames {
    /// Names for these nodes, with no key or value yet.
    pub fn new(nodes: Vec<String>) -> Self {
        Self { nodes, interner: Interner::default() }
    }

    /// Names all keys through `key` that have no name yet: `k0`, `k1` and so on.
    pub(crate) fn name_keys_through(&mut self, key: KeyId) {
        if self.interner.key_bytes(key).is_some() {
            return;
        }
        for number in 0..=key.0 {
            // A full interner leaves the rest unnamed, which is harmless.
            let _ = self.interner.key(format!("k{number}").as_bytes());
        }
    }

    /// Names all values through `value` that have no name yet: `v1`, `v2` and so on.
    pub(crate) fn name_values_through(&mut self, value: ValueId) {
        if self.interner.value_bytes(value).is_some() {
            return;
        }
        for number in 0..=value.index() {
            let _ = self.interner.value(format!("v{}", number + 1).as_bytes());
        }
    }

    /// Forgets node number `node`; later ones move up.
    pub(crate) fn remove_node(&mut self, node: usize) {
        self.nodes.remove(node);
    }

    /// The bytes of a key. An id without a name is one that no operation uses.
    pub fn key_bytes(&self, key: KeyId) -> Vec<u8> {
        let named = self.interner.key_bytes(key).map(<[u8]>::to_vec);
        named.unwrap_or_else(|| format!("key#{}", key.0).into_bytes())
    }

    /// The bytes of a value.
    pub fn value_bytes(&self, value: ValueId) -> Vec<u8> {
        if value == Settings::PROBE_VALUE {
            return b"recovery-probe".to_vec();
        }
        let named = self.interner.value_bytes(value).map(<[u8]>::to_vec);
        named.unwrap_or_else(|| format!("value#{}", value.index()).into_bytes())
    }

    /// The name of a node.
    pub fn node_name(&self, node: NodeId) -> &str {
        self.nodes.get(node.index()).map_or("?", String::as_str)
    }
}

impl Names for ScenarioNames {
    fn node(&self, node: NodeId) -> String {
        printable(self.node_name(node))
    }

    fn key(&self, key: KeyId) -> String {
        Bytes::to_text(&self.key_bytes(key))
    }

    fn value(&self, value: ValueId) -> String {
        Bytes::to_text(&self.value_bytes(value))
    }
}

impl TraceNames for ScenarioNames {
    fn node(&self, node: NodeId) -> &str {
        self.node_name(node)
    }

    fn nodes(&self) -> Value {
        json!(self.nodes)
    }

    fn key(&self, key: KeyId) -> Value {
        Bytes::to_json(&self.key_bytes(key))
    }

    fn key_name(&self, key: KeyId) -> String {
        let bytes = self.key_bytes(key);
        String::from_utf8(bytes).unwrap_or_else(|error| Bytes::to_text(error.as_bytes()))
    }

    fn value(&self, value: ValueId) -> Value {
        Bytes::to_json(&self.value_bytes(value))
    }
}
