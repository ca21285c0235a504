//! Replicas are called r1, r2 and so on, in files and in words.

use crate::kip::state::{REPLICAS_MAX, members};
use highwater_invariants::{KeyId, Names, NodeId, ValueId};

/// Names of replicas and records.
#[derive(Clone, Copy, Debug)]
pub struct ReplicaNames;

impl Names for ReplicaNames {
    fn node(&self, node: NodeId) -> String {
        name(node.index() as u8)
    }

    fn key(&self, key: KeyId) -> String {
        key.0.to_string()
    }

    fn value(&self, value: ValueId) -> String {
        value.index().to_string()
    }
}

/// The name of a replica.
pub(crate) fn name(replica: u8) -> String {
    format!("r{}", replica + 1)
}

/// The names of a set of replicas.
pub(super) fn names(set: u8) -> String {
    members(set).map(name).collect::<Vec<_>>().join(" ")
}

/// Makes sure that all of `named` are among so many replicas.
pub(super) fn require_known(named: &[u8], replicas: usize) -> Result<(), String> {
    match named.iter().find(|&&one| usize::from(one) >= replicas) {
        Some(&unknown) => Err(format!("there is no {}: replicas {replicas}", name(unknown))),
        None => Ok(()),
    }
}

/// The replica of that name.
fn number(name: &str) -> Result<u8, String> {
    let number = name.strip_prefix('r').and_then(|number| number.parse::<u8>().ok());
    let known = number.filter(|number| (1..=REPLICAS_MAX as u8).contains(number));
    // Nothing but the one way to write it.
    known
        .filter(|number| self::name(number - 1) == name)
        .map(|number| number - 1)
        .ok_or_else(|| format!("unknown replica {name:?}; replicas are r1 to r{REPLICAS_MAX}"))
}

/// A replica in a file: its name.
pub(super) mod replica_name {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub fn serialize<S: Serializer>(replica: &u8, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&super::name(*replica))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
        let name = String::deserialize(deserializer)?;
        super::number(&name).map_err(D::Error::custom)
    }
}

/// A set of replicas in a file: their names.
pub(super) mod replica_names {
    use crate::kip::state::members;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub fn serialize<S: Serializer>(set: &u8, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(members(*set).map(super::name))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
        let names = Vec::<String>::deserialize(deserializer)?;
        names.iter().try_fold(0, |set, name| {
            let member = 1 << super::number(name).map_err(D::Error::custom)?;
            if set & member != 0 {
                return Err(D::Error::custom(format!("{name:?} is given twice")));
            }
            Ok(set | member)
        })
    }
}
