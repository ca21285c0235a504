//! What a picture is made of. This is also what `highwater replay --json` prints; the schema is
//! `replay.schema.json` beside this file.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The format that this build writes.
pub const PICTURE_FORMAT: &str = "highwater-replay/1";

/// A run, step by step, with all that a reader may want to see.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Picture {
    /// `highwater-replay/1`.
    pub format: String,
    /// The scenario's file; empty if there is none.
    pub file: String,
    /// The scenario's name; empty if it has none.
    pub name: String,
    /// The model, as on the command line.
    pub model: String,
    /// The rules that it follows.
    pub rules: String,
    /// The configuration: names and values.
    pub configuration: Vec<(String, String)>,
    /// The names of the nodes, in the order of the configuration.
    pub nodes: Vec<String>,
    /// `violated`, `clean` or `undecided`.
    pub verdict: String,
    /// What the scenario expects, in words; null if nothing.
    pub expectation: Option<String>,
    /// Whether that came true; null if it expects nothing.
    pub expectation_met: Option<bool>,
    /// Whether a limit of the model ended the run early.
    pub halted: bool,
    /// What is violated; what the scenario expects comes first.
    pub violations: Vec<ViolationPicture>,
    /// Invariants that could have been checked and were not.
    pub not_checked: Vec<String>,
    /// Invariants on which the checker gave up: a limit of its own was reached.
    pub undecided: Vec<String>,
    /// The partition before the first operation, after each, and at the end of the phases after
    /// them.
    pub steps: Vec<StepPicture>,
    /// Every message, in the order in which they were sent.
    pub messages: Vec<Message>,
    /// The scenario's file, to be saved and replayed.
    pub scenario: String,
    /// A Rust test that reproduces it.
    pub rust_test: String,
}

/// A violated invariant.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ViolationPicture {
    /// Which.
    pub invariant: String,
    /// What it says.
    pub statement: String,
    /// The kind of evidence.
    pub kind: String,
    /// The evidence in words.
    pub evidence: String,
    /// The nodes that the evidence speaks of.
    pub nodes: Vec<String>,
    /// The offset that the evidence speaks of, from 1.
    pub offset: Option<u64>,
    /// The number of the violating operation, from 1; in a later phase, of all operations.
    pub operation: usize,
    /// `operations`, `quiescence` or `recovery`.
    pub phase: String,
    /// The index in `steps` where it shows.
    pub step: usize,
}

/// The partition at one moment, and what led to it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StepPicture {
    /// The operation's number, from 1; 0 before the first; null in a later phase.
    pub number: Option<usize>,
    /// `operations`, `quiescence` or `recovery`.
    pub phase: String,
    /// The operation, as in scenario files; null where there is none.
    pub operation: Value,
    /// The same in words.
    pub words: String,
    /// What it answered, in words.
    pub answer: String,
    /// Whether it was refused.
    pub refused: bool,
    /// The clock after it; null if the model has none.
    pub tick: Option<u64>,
    /// The leader, as the controller knows it.
    pub leader: Option<String>,
    /// Its epoch.
    pub leader_epoch: i64,
    /// The ISR, as the controller knows it.
    pub isr: Vec<String>,
    /// The partition's high watermark; null if each replica has its own alone.
    pub high_watermark: Option<u64>,
    /// The end of each node's log.
    pub log_end_offsets: serde_json::Map<String, Value>,
    /// Offsets of writes that wait for an answer.
    pub pending: Vec<u64>,
    /// Links that are cut: from, to.
    pub cut_links: Vec<(String, String)>,
    /// The nodes, in the order of the configuration.
    pub nodes: Vec<NodePicture>,
    /// What happened, in order.
    pub events: Vec<Event>,
}

/// A node at one moment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct NodePicture {
    /// Its name.
    pub name: String,
    /// Whether it is up.
    pub alive: bool,
    /// Whether it leads; in models where nodes can be wrong about that, whether it believes so.
    pub leads: bool,
    /// Whether it is in the ISR that the controller knows.
    pub in_isr: bool,
    /// Whether it is cut off from all others.
    pub isolated: bool,
    /// Whether it was made slow.
    pub slow: bool,
    /// What else is to be said of it, in words; empty if nothing.
    pub note: String,
    /// The high watermark that it has applied.
    pub high_watermark: u64,
    /// The end of what survives a crash that loses; null if the model has no disks.
    pub durable: Option<u64>,
    /// Its log, from offset 1.
    pub log: Vec<LogEntry>,
}

/// An entry of a log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct LogEntry {
    /// The leader epoch in which it was written.
    pub epoch: i64,
    /// What it says, as in `k0=v1`.
    pub text: String,
}

/// Something that happened.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Event {
    /// Its number in the run, from 0.
    pub sequence: usize,
    /// When; null if the model has no clock.
    pub tick: Option<u64>,
    /// Its kind, as in PROTOCOL.md.
    pub kind: String,
    /// The node where it happened; null if at none.
    pub node: Option<String>,
    /// In words, without the node.
    pub words: String,
    /// The index in `messages` of the message that it is about.
    pub message: Option<usize>,
}

/// A message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Message {
    /// Its number.
    pub id: u64,
    /// Sender.
    pub from: String,
    /// Receiver.
    pub to: String,
    /// What it carries, in words.
    pub words: String,
    /// The number of the event by which it was sent.
    pub sent: usize,
    /// What became of it; empty if it is in flight at the end, two if it was duplicated.
    pub arrivals: Vec<Arrival>,
    /// Whether the network made a copy of it.
    pub duplicated: bool,
}

/// What became of a message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Arrival {
    /// The number of the event.
    pub sequence: usize,
    /// What.
    pub fate: Fate,
    /// Why, in words; empty if it was simply delivered.
    pub why: String,
}

/// What can become of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It was delivered.
    Delivered,
    /// It was delivered, and the receiver would have nothing of it.
    Rejected,
    /// It was lost.
    Dropped,
}

impl Picture {
    /// What shows at the step with that index.
    pub(super) fn violations_at(&self, step: usize) -> impl Iterator<Item = &ViolationPicture> {
        self.violations.iter().filter(move |violation| violation.step == step)
    }

    /// Whether a diagram shows the step in full: of what comes after the operations, only the part
    /// that the picture is about.
    pub(super) fn is_in_full(&self, step: usize) -> bool {
        self.steps[step].number.is_some()
            || self.violations.first().is_some_and(|violation| violation.step == step)
    }
}

impl StepPicture {
    /// What the controller knows, in words.
    pub(super) fn partition_in_words(&self) -> String {
        let leader = self.leader.as_deref().unwrap_or("nobody");
        let hw = self.high_watermark.map_or(String::new(), |hw| format!(", HW {hw}"));
        format!("{leader} leads in epoch {}, ISR {}{hw}", self.leader_epoch, self.isr.join(" "))
    }
}
