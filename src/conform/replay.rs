//! One golden run through the `published` variant, by the door that callers use.

use super::compare::{Difference, first_difference};
use super::golden::Golden;
use crate::isr::{
    CatchUpMode, ConfigurationError, GroupConfiguration, IsrError, IsrGroup, NodeProbe, Trace,
    TraceNames,
};
use crate::scenario::{Bytes, Place, RawConfiguration, RawOperation};
use highwater_invariants::{KeyId, NodeId, ValueId};
use serde_json::{Value, json};

type Problem = (Place, String);

/// The first difference, if there is one. An error if the run itself makes no sense.
pub(super) fn replay(golden: &Golden) -> Result<Option<Difference>, Problem> {
    let configuration = configuration_of(&golden.config);
    let mut group = match IsrGroup::with_recorder(&configuration, Trace::default()) {
        Ok(group) => group,
        Err(error) => return Ok(compare_configuration_error(golden, &error)),
    };
    if let Some(expected) = &golden.config_error {
        return Ok(first_difference(0, "config_error", expected, &Value::Null));
    }
    let initial = golden.initial_state.as_ref().unwrap_or(&Value::Null);
    if let Some(difference) = first_difference(0, "initial_state", initial, &state_json(&group)) {
        return Ok(Some(difference));
    }
    let mut compared = 0;
    for (index, (operation, step)) in golden.ops.iter().zip(&golden.steps).enumerate() {
        let number = index + 1;
        let outcome = apply(&mut group, operation)
            .map_err(|(field, reason)| (Place::at(format!("ops[{index}].{field}")), reason))?;
        let difference = first_difference(number, "outcome", &step.outcome, &outcome)
            .or_else(|| compare_trace(number, &mut compared, golden, &group))
            .or_else(|| first_difference(number, "state", &step.state, &state_json(&group)));
        if difference.is_some() {
            return Ok(difference);
        }
    }
    let last = golden.ops.len();
    Ok(compare_trace(last, &mut compared, golden, &group).or_else(|| {
        let expected = golden.trace.get(compared)?;
        first_difference(last, &format!("trace[{compared}]"), expected, &Value::Null)
    }))
}

fn compare_configuration_error(golden: &Golden, error: &ConfigurationError) -> Option<Difference> {
    let got = json!({"type": "ValueError", "message": error.to_string()});
    let expected = golden.config_error.as_ref().unwrap_or(&Value::Null);
    first_difference(0, "config_error", expected, &got).or_else(|| {
        // A refused configuration records nothing.
        first_difference(0, "trace", &json!(golden.trace), &json!([]))
    })
}

/// Compares the events recorded since `compared`.
fn compare_trace(
    operation: usize,
    compared: &mut usize,
    golden: &Golden,
    group: &IsrGroup<Trace>,
) -> Option<Difference> {
    for record in &group.trace().records()[*compared..] {
        let got = json!({
            "sequence": *compared,
            "tick": record.tick.0,
            "kind": record.event.kind(),
            "details": record.event.details(group),
        });
        let expected = golden.trace.get(*compared).unwrap_or(&Value::Null);
        let difference = first_difference(operation, &format!("trace[{compared}]"), expected, &got);
        if difference.is_some() {
            return difference;
        }
        *compared += 1;
    }
    None
}

/// A number that no configuration may have is as good as 0, which none may have either.
fn configuration_of(raw: &RawConfiguration) -> GroupConfiguration {
    let default = GroupConfiguration::default();
    let number = |given: Option<i64>, default: u64| {
        given.map_or(default, |number| u64::try_from(number).unwrap_or(0))
    };
    GroupConfiguration {
        nodes: raw.nodes.clone(),
        leader: raw.leader.clone(),
        min_insync_replicas: number(raw.min_insync_replicas, default.min_insync_replicas),
        replica_lag_timeout_ticks: number(
            raw.replica_lag_timeout,
            default.replica_lag_timeout_ticks,
        ),
        log_retention_entries: number(raw.log_retention, default.log_retention_entries),
        replication_delay_ticks: number(raw.replication_delay, default.replication_delay_ticks),
        ack_timeout_ticks: number(raw.ack_timeout, default.ack_timeout_ticks),
        lease_duration_ticks: raw.lease_duration.unwrap_or(default.lease_duration_ticks),
        seed: raw.seed.unwrap_or(default.seed),
    }
}

/// The outcome, in the golden runs' shape.
fn apply(group: &mut IsrGroup<Trace>, raw: &RawOperation) -> Result<Value, (&'static str, String)> {
    raw.check_fields()?;
    let done = |result: Result<(), IsrError>| result.map(|()| json!({}));
    let outcome = match raw.op.as_str() {
        "write" => {
            let result = group.client_write(raw.key_bytes()?, raw.value_bytes()?, raw.ack_level()?);
            result.map(|result| {
                json!({
                    "accepted": result.accepted,
                    "offset": result.offset,
                    "message": result.reason.message(),
                })
            })
        }
        "read" => {
            let level = raw.read_level()?;
            group.client_read(raw.key_bytes()?, level, raw.node.as_deref()).map(read_json)
        }
        "lease_read" => group.lease_read(raw.node_name()?, raw.key_bytes()?).map(read_json),
        "tick" => {
            group.tick();
            Ok(json!({}))
        }
        "run_until_idle" => group.run_until_idle().map(|ticks| json!({ "ticks": ticks })),
        "set_replica_slow" => done(group.set_replica_slow(raw.node_name()?, raw.is_slow()?)),
        "fsync" => done(group.fsync(raw.node_name()?)),
        "crash" => done(group.crash(raw.node_name()?, raw.lose_unfsynced.unwrap_or(false))),
        "restart" => done(group.restart(raw.node_name()?)),
        "isolate" => done(group.isolate(raw.node_name()?)),
        "heal" => done(group.heal(raw.node_name()?)),
        "controller_elect" => done(group.controller_elect(raw.node_name()?)),
        other => return Err(("op", format!("golden runs have no operation {other:?}"))),
    };
    Ok(outcome.unwrap_or_else(|error| error_json(&error)))
}

fn read_json(result: crate::isr::ReadResult) -> Value {
    let value = result.value.map_or(Value::Null, |value| Bytes::to_json(&value));
    json!({"node": result.node, "offset": result.offset, "value": value})
}

/// Errors in the reference simulator's types.
fn error_json(error: &IsrError) -> Value {
    let kind = match error {
        IsrError::UnknownNode(_) => "KeyError",
        IsrError::NodeCrashed(_)
        | IsrError::NotInIsr(_)
        | IsrError::NoCommittedLease
        | IsrError::LeaseExpiredOrFenced
        | IsrError::DidNotBecomeIdle
        | IsrError::LeaderFenced(_)
        | IsrError::NoSuchMessage(_)
        | IsrError::NoLinkToItself(_)
        | IsrError::OverMessageBudget
        | IsrError::TooManyNames => "RuntimeError",
        IsrError::AlreadyLeader(_)
        | IsrError::AlreadyRunning(_)
        | IsrError::LeaderCannotBeSlow
        | IsrError::NodeNotAccepted(_) => "ValueError",
        IsrError::UnsupportedAck(_) => "UnsupportedLevelError",
    };
    json!({"error": {"type": kind, "message": error.to_string()}})
}

fn state_json(group: &IsrGroup<Trace>) -> Value {
    let probe = group.probe();
    let nodes: serde_json::Map<_, _> =
        probe.nodes.iter().map(|(name, node)| (name.clone(), node_json(node))).collect();
    json!({
        "tick": probe.tick,
        "leader": probe.leader,
        "leader_epoch": probe.leader_epoch,
        "controller_epoch": probe.controller_epoch,
        "isr": probe.isr,
        "high_watermark": probe.high_watermark,
        "lease_expiry": probe.lease_expiry,
        "retained_offsets": probe.retained_offsets,
        "nodes": nodes,
    })
}

fn node_json(node: &NodeProbe) -> Value {
    let table = |table: &std::collections::BTreeMap<Vec<u8>, Vec<u8>>| {
        let fields = table.iter().map(|(key, value)| (field_name(key), Bytes::to_json(value)));
        Value::Object(fields.collect())
    };
    let log = node.log.iter().map(|entry| {
        json!([
            entry.offset,
            entry.leader_epoch,
            Bytes::to_json(&entry.key),
            Bytes::to_json(&entry.value)
        ])
    });
    json!({
        "alive": node.alive,
        "role": if node.is_leader { "leader" } else { "follower" },
        "log": log.collect::<Vec<_>>(),
        "log_end_offset": node.log_end_offset,
        "applied_hw": node.applied_hw,
        "durable_offset": node.durable_offset,
        "data": table(&node.data),
        "committed_data": table(&node.committed_data),
        "catch_up_mode": match node.catch_up_mode {
            CatchUpMode::Never => "never",
            CatchUpMode::Streaming => "streaming",
            CatchUpMode::Incremental => "incremental",
            CatchUpMode::Full => "full",
        },
    })
}

/// A key as the name of a JSON field.
fn field_name(key: &[u8]) -> String {
    std::str::from_utf8(key).map_or_else(|_| Bytes::to_text(key), String::from)
}

impl<R> TraceNames for IsrGroup<R> {
    fn node(&self, node: NodeId) -> &str {
        self.node_name(node)
    }

    fn nodes(&self) -> Value {
        json!(self.node_names())
    }

    fn key(&self, key: KeyId) -> Value {
        Bytes::to_json(self.key_bytes(key))
    }

    fn key_name(&self, key: KeyId) -> String {
        field_name(self.key_bytes(key))
    }

    fn value(&self, value: ValueId) -> Value {
        Bytes::to_json(self.value_bytes(value))
    }
}
