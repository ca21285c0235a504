//! Bytes at the door, small ids inside.

use highwater_invariants::{KeyId, ValueId};
use std::collections::HashMap;

/// There are no ids left (65,534 keys and as many values).
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("more distinct keys or values than the 65534 that a partition can hold")]
pub struct InternerFull;

/// Gives keys and values small ids, in the order of their first use, and gives the bytes back.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    keys: Names,
    values: Names,
}

#[derive(Clone, Debug, Default)]
struct Names {
    bytes: Vec<Box<[u8]>>,
    /// Only ever looked up, never walked, so its order decides nothing.
    index: HashMap<Box<[u8]>, usize>,
}

impl Names {
    fn id(&mut self, bytes: &[u8]) -> Result<usize, InternerFull> {
        if let Some(&id) = self.index.get(bytes) {
            return Ok(id);
        }
        let id = self.bytes.len();
        // The last id is kept for the engines' own probe value.
        if id >= usize::from(u16::MAX) - 1 {
            return Err(InternerFull);
        }
        self.bytes.push(bytes.into());
        self.index.insert(bytes.into(), id);
        Ok(id)
    }
}

impl Interner {
    /// The id of `key`, new if need be.
    pub fn key(&mut self, key: &[u8]) -> Result<KeyId, InternerFull> {
        Ok(KeyId(self.keys.id(key)? as u16))
    }

    /// The id of `value`, new if need be.
    pub fn value(&mut self, value: &[u8]) -> Result<ValueId, InternerFull> {
        ValueId::from_index(self.values.id(value)?).ok_or(InternerFull)
    }

    /// The bytes of a key that was interned.
    pub fn key_bytes(&self, key: KeyId) -> Option<&[u8]> {
        self.keys.bytes.get(usize::from(key.0)).map(AsRef::as_ref)
    }

    /// The bytes of a value that was interned.
    pub fn value_bytes(&self, value: ValueId) -> Option<&[u8]> {
        self.values.bytes.get(value.index()).map(AsRef::as_ref)
    }
}
