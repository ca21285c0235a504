//! Operations and outcomes in words.

use crate::isr::{Operation, Outcome, ReadAnswer, WriteReason};
use crate::scenario::{ScenarioNames, operation_json};
use highwater_invariants::Names;

/// An operation on one line, as in `write k0=v1 ALL_ISR`.
pub fn operation_in_words(operation: Operation, names: &ScenarioNames) -> String {
    let json = operation_json(operation, names);
    let text = |field: &str| json[field].as_str().unwrap_or_default().to_owned();
    let node = |node| Names::node(names, node);
    match operation {
        Operation::Write { key, value, .. } | Operation::Submit { key, value, .. } => {
            let (key, value) = (Names::key(names, key), Names::value(names, value));
            format!("{} {key}={value} {}", operation.kind(), text("ack"))
        }
        Operation::Read { key, node: at, .. } => {
            let at = at.map(|at| format!(" at {}", node(at))).unwrap_or_default();
            format!("read {} {}{at}", Names::key(names, key), text("level"))
        }
        Operation::LeaseRead { node: at, key } => {
            format!("lease read {} at {}", Names::key(names, key), node(at))
        }
        Operation::Tick => "tick".into(),
        Operation::RunUntilIdle => "run until idle".into(),
        Operation::SetReplicaSlow { node: at, slow: true } => format!("slow {}", node(at)),
        Operation::SetReplicaSlow { node: at, slow: false } => {
            format!("no longer slow {}", node(at))
        }
        Operation::Fsync { node: at } => format!("fsync {}", node(at)),
        Operation::Crash { node: at, lose_unfsynced: false } => format!("crash {}", node(at)),
        Operation::Crash { node: at, lose_unfsynced: true } => {
            format!("crash {}, losing what is not synced", node(at))
        }
        Operation::Restart { node: at } => format!("restart {}", node(at)),
        Operation::Isolate { node: at } => format!("isolate {}", node(at)),
        Operation::Heal { node: at } => format!("heal {}", node(at)),
        Operation::ControllerElect { node: at } => format!("elect {}", node(at)),
        Operation::DropMessage { message } => format!("lose message {message} in flight"),
        Operation::DuplicateMessage { message } => format!("duplicate message {message} in flight"),
        Operation::DelayMessage { message, ticks } => {
            format!("delay message {message} in flight by {ticks}")
        }
        Operation::ReorderMessage { message } => {
            format!("message {message} in flight is overtaken by the next")
        }
        Operation::CutLink { node: at, peer } => format!("cut {} to {}", node(at), node(peer)),
        Operation::HealLink { node: at, peer } => format!("heal {} to {}", node(at), node(peer)),
    }
}

/// What an operation answered, on one line.
pub fn outcome_in_words(outcome: Outcome, names: &ScenarioNames) -> String {
    match outcome {
        Outcome::Done => "done".into(),
        Outcome::Written(answer) => {
            let offset = answer.offset;
            match answer.reason {
                WriteReason::LeaderAppended => format!("accepted at {offset} by the leader alone"),
                WriteReason::IsrAcknowledged => format!("accepted at {offset} by the ISR"),
                WriteReason::BelowMinInsync => "refused: ISR below min.insync".into(),
                WriteReason::NotAcknowledged => format!("appended at {offset}, not acknowledged"),
            }
        }
        Outcome::Submitted(offset) => format!("appended at {offset}, waits"),
        Outcome::Read(ReadAnswer { node, offset, value }) => {
            let value = value.map_or("nothing".into(), |value| Names::value(names, value));
            format!("{value} (through {offset}, {})", Names::node(names, node))
        }
        Outcome::Idle(ticks) => format!("idle after {ticks} ticks"),
        Outcome::Refused(error) => {
            format!("refused: {}", error.map_node(|node| Names::node(names, node)))
        }
    }
}
