//! A picture as a Mermaid sequence diagram, for places that draw those: READMEs, issues, wikis.

use crate::picture::{Event, Fate, Message, Picture, StepPicture};

impl Picture {
    /// The diagram. A message is an arrow where it arrives, or is lost.
    pub fn mermaid(&self) -> String {
        let mut diagram = Diagram { picture: self, text: String::from("sequenceDiagram\n") };
        for (number, name) in self.nodes.iter().enumerate() {
            diagram.line(&format!("participant n{number} as {}", text_of(name)));
        }
        let mut before = None;
        for (index, step) in self.steps.iter().enumerate() {
            diagram.step(index, step, before);
            before = Some(step);
        }
        diagram.in_flight();
        diagram.text
    }
}

struct Diagram<'p> {
    picture: &'p Picture,
    text: String,
}

impl Diagram<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str("    ");
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A note over all nodes.
    fn note(&mut self, words: &str) {
        let last = self.picture.nodes.len().saturating_sub(1);
        let over = if last == 0 { "n0".into() } else { format!("n0,n{last}") };
        self.line(&format!("Note over {over}: {}", text_of(words)));
    }

    fn step(&mut self, index: usize, step: &StepPicture, before: Option<&StepPicture>) {
        if self.picture.is_in_full(index) {
            let number = step.number.map_or(String::new(), |number| format!("{number}. "));
            let answer = match step.answer.as_str() {
                "" | "done" => String::new(),
                answer => format!(" → {answer}"),
            };
            self.note(&format!("{number}{}{answer}", step.words));
            for event in &step.events {
                self.event(event);
            }
            let now = step.partition_in_words();
            if before.is_none_or(|before| before.partition_in_words() != now) {
                self.note(&now);
            }
        }
        for violation in self.picture.violations_at(index) {
            let (invariant, evidence) = (&violation.invariant, &violation.evidence);
            self.note(&format!("✗ VIOLATED {invariant}: {evidence}"));
        }
    }

    fn event(&mut self, event: &Event) {
        let arrived = event.message.map(|message| &self.picture.messages[message]);
        let arrived = arrived.and_then(|message| {
            let arrivals = message.arrivals.iter();
            let arrival = arrivals.clone().find(|one| one.sequence == event.sequence)?;
            Some((message, arrival))
        });
        if let Some((message, arrival)) = arrived {
            let arrow = match arrival.fate {
                Fate::Delivered => "->>",
                Fate::Rejected => "--x",
                Fate::Dropped => "-x",
            };
            let why =
                if arrival.why.is_empty() { String::new() } else { format!(" ({})", arrival.why) };
            self.arrow(message, arrow, &why);
        } else if event.kind == "isr_append_rejected" {
            // The arrow has said it.
        } else if let Some(node) = event.node.as_ref().and_then(|node| self.number(node)) {
            // Without a clock the step has said it.
            if event.tick.is_some() {
                self.line(&format!("Note over n{node}: {}", text_of(&event.words)));
            }
        }
    }

    fn arrow(&mut self, message: &Message, arrow: &str, why: &str) {
        if let (Some(from), Some(to)) = (self.number(&message.from), self.number(&message.to)) {
            let words = text_of(&format!("{}{why}", message.words));
            self.line(&format!("n{from}{arrow}n{to}: {words}"));
        }
    }

    /// Messages that have not arrived.
    fn in_flight(&mut self) {
        for message in self.picture.messages.iter().filter(|message| message.arrivals.is_empty()) {
            self.arrow(message, "--)", " (in flight at the end)");
        }
    }

    fn number(&self, name: &str) -> Option<usize> {
        self.picture.nodes.iter().position(|node| node == name)
    }
}

/// Text that says nothing to Mermaid: all but plain letters, digits and a few signs as entities.
fn text_of(words: &str) -> String {
    let mut text = String::new();
    for letter in words.chars() {
        if letter.is_ascii_alphanumeric() || " .,:=@()[]{}-_/'→✗".contains(letter) {
            text.push(letter);
        } else {
            text.push_str(&format!("#{};", u32::from(letter)));
        }
    }
    // An empty name or note would be none.
    if text.trim().is_empty() { "#32;".into() } else { text }
}
