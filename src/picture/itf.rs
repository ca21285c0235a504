//! A picture as JSON in the Informal Trace Format that tools for TLA+ and Quint read (Apalache's
//! ADR-015 describes it).

use crate::picture::{NodePicture, Picture, StepPicture};
use serde_json::{Map, Value, json};

impl Picture {
    /// The trace: one state for each step. What the model does not have is no variable of it.
    pub fn itf(&self) -> Value {
        let has_hw = self.steps.iter().all(|step| step.high_watermark.is_some());
        let mut variables = vec![
            "step",
            "phase",
            "action",
            "answer",
            "leader",
            "leader_epoch",
            "isr",
            "nodes",
            "pending",
            "violated",
        ];
        if has_hw {
            variables.push("high_watermark");
        }
        let states = self.steps.iter().enumerate().map(|(index, step)| {
            let violated = self.violations_at(index);
            let mut state = state(index, step, has_hw);
            state["violated"] = set(violated.map(|one| json!(one.invariant)));
            state
        });
        json!({
            "#meta": {
                "format": "ITF",
                "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
                "source": self.file,
                "description": format!("highwater {}, {}", self.model, self.rules),
                "varTypes": types(has_hw),
            },
            "vars": variables,
            "states": states.collect::<Vec<_>>(),
        })
    }
}

/// The types of the variables, in Apalache's notation.
fn types(has_hw: bool) -> Value {
    let mut types = json!({
        "step": "Int",
        "phase": "Str",
        "action": "Str",
        "answer": "Str",
        "leader": "Set(Str)",
        "leader_epoch": "Int",
        "isr": "Set(Str)",
        "nodes": "Str -> { alive: Bool, leads: Bool, log: Seq({ epoch: Int, entry: Str }), high_watermark: Int, durable: Set(Int) }",
        "pending": "Seq(Int)",
        "violated": "Set(Str)",
    });
    if has_hw {
        types["high_watermark"] = json!("Int");
    }
    types
}

fn state(index: usize, step: &StepPicture, has_hw: bool) -> Value {
    let nodes = step.nodes.iter().map(|node| json!([node.name, node_record(node)]));
    let mut state = json!({
        "#meta": {"index": index},
        "step": int(index as i64),
        "phase": step.phase,
        "action": step.words,
        "answer": step.answer,
        // There is one leader at most.
        "leader": set(step.leader.iter().map(|leader| json!(leader))),
        "leader_epoch": int(step.leader_epoch),
        "isr": set(step.isr.iter().map(|node| json!(node))),
        "nodes": {"#map": nodes.collect::<Vec<_>>()},
        "pending": step.pending.iter().map(|&offset| int(offset as i64)).collect::<Vec<_>>(),
    });
    if let Some(hw) = step.high_watermark.filter(|_| has_hw) {
        state["high_watermark"] = int(hw as i64);
    }
    state
}

fn node_record(node: &NodePicture) -> Value {
    let entries = node.log.iter().map(|entry| {
        let fields = [("epoch", int(entry.epoch)), ("entry", json!(entry.text))];
        Value::Object(fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect())
    });
    let mut record = Map::new();
    record.insert("alive".into(), json!(node.alive));
    record.insert("leads".into(), json!(node.leads));
    record.insert("log".into(), entries.collect());
    record.insert("high_watermark".into(), int(node.high_watermark as i64));
    record.insert("durable".into(), set(node.durable.iter().map(|&durable| int(durable as i64))));
    Value::Object(record)
}

/// A number, as the format wants it: as large as it may be.
fn int(number: i64) -> Value {
    json!({"#bigint": number.to_string()})
}

fn set(members: impl Iterator<Item = Value>) -> Value {
    json!({"#set": members.collect::<Vec<_>>()})
}
