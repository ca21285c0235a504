//! A picture in the terminal: a lane for each node, time downwards.

use crate::picture::{NodePicture, Picture, StepPicture};
use textwrap::core::display_width;
use textwrap::{Options, WordSplitter};

/// The narrowest lane that can be read.
const LANE_MIN: usize = 10;
/// The room for numbers at the left.
const GUTTER: usize = 7;

const BOLD: &str = "1";
const DIM: &str = "2";
const RED: &str = "1;31";
const GREEN: &str = "32";
const YELLOW: &str = "33";

impl Picture {
    /// The run as lanes of a diagram at most `width` columns wide, as far as `width` has room for the
    /// nodes; with the escape sequences of a terminal's colours.
    pub fn lanes(&self, width: usize) -> String {
        let nodes = self.nodes.len().max(1);
        let lane = (width.saturating_sub(GUTTER) / nodes).max(LANE_MIN);
        let width = GUTTER + lane * nodes;
        let mut lanes = Lanes { picture: self, lane, width, text: String::new() };
        lanes.head();
        let mut before: Option<&StepPicture> = None;
        for (index, step) in self.steps.iter().enumerate() {
            lanes.step(index, step, before);
            before = Some(step);
        }
        lanes.legend();
        lanes.text
    }
}

struct Lanes<'p> {
    picture: &'p Picture,
    /// How wide a lane is, and all of it.
    lane: usize,
    width: usize,
    text: String,
}

impl Lanes<'_> {
    fn head(&mut self) {
        let names: Vec<_> = self.picture.nodes.iter().map(|name| (BOLD, name.clone())).collect();
        self.row("", &names, |_| " ");
    }

    fn step(&mut self, index: usize, step: &StepPicture, before: Option<&StepPicture>) {
        let violations = self.picture.violations_at(index);
        let violations: Vec<_> = violations.map(|one| one.invariant.clone()).collect();
        if !self.picture.is_in_full(index) {
            let events = step.events.len();
            let words = format!("afterwards {}: {events} events (--trace shows them)", step.words);
            self.across("", DIM, &words);
            self.violations(&violations);
            return;
        }
        if index > 0 {
            let number = step.number.map_or("·".into(), |number| number.to_string());
            let answer = if step.answer.is_empty() || step.answer == "done" {
                String::new()
            } else {
                format!(" ─ {}", step.answer)
            };
            self.across(&number, BOLD, &format!("{}{answer}", step.words));
        }
        let mut tick = before.and_then(|before| before.tick);
        // A model of single steps has said it all by the name of the step.
        let events = if step.tick.is_some() { &step.events[..] } else { &[] };
        for event in events {
            let at = if event.tick == tick { None } else { event.tick };
            tick = event.tick;
            let at = at.map_or(String::new(), |tick| format!("@{tick}"));
            let node = event.node.as_ref();
            let place = node.and_then(|node| self.picture.nodes.iter().position(|one| one == node));
            match place {
                None => self.across(&at, "", &event.words),
                Some(place) => {
                    let style = style_of(&event.kind);
                    let words = event.words.clone();
                    let mut cells = vec![("", String::new()); self.picture.nodes.len()];
                    cells[place] = (style, words);
                    let nodes = &step.nodes;
                    self.row(&at, &cells, |node| mark(&nodes[node]));
                }
            }
        }
        self.state(step, before);
        self.violations(&violations);
    }

    fn violations(&mut self, invariants: &[String]) {
        for invariant in invariants {
            self.across("✗", RED, &format!("VIOLATED {invariant}"));
        }
    }

    /// What each node has, where that is new.
    fn state(&mut self, step: &StepPicture, before: Option<&StepPicture>) {
        let is_new = |index: usize, node: &NodePicture| {
            before.is_none_or(|before| before.nodes[index] != *node)
        };
        let cells: Vec<_> = step
            .nodes
            .iter()
            .enumerate()
            .map(|(index, node)| {
                (DIM, if is_new(index, node) { state_of(node) } else { String::new() })
            })
            .collect();
        if cells.iter().any(|(_, words)| !words.is_empty()) {
            self.row("", &cells, |node| mark(&step.nodes[node]));
        }
        let now = step.partition_in_words();
        if before.is_none_or(|before| before.partition_in_words() != now) {
            self.across("", DIM, &now);
        }
    }

    fn legend(&mut self) {
        let mut legend = vec!["★ leads", "┃ in the ISR", "│ not in the ISR", "┊ down"];
        if self.picture.steps.iter().any(|step| step.nodes.iter().any(|node| node.isolated)) {
            legend.push("≀ cut off");
        }
        legend.push("HW: what the node itself has applied");
        let has_disks = |node: &NodePicture| node.durable.is_some();
        if self.picture.steps.iter().any(|step| step.nodes.iter().any(has_disks)) {
            legend.push("synced: what survives a crash that loses");
        }
        self.across("", DIM, &legend.join(" · "));
    }

    /// One row: what is written at the left, and in each lane.
    fn row<'m>(&mut self, left: &str, cells: &[(&str, String)], mark: impl Fn(usize) -> &'m str) {
        let room = self.lane - 3;
        let wrapped: Vec<_> = cells.iter().map(|(_, words)| wrap(words, room)).collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(1).max(1);
        for line in 0..height {
            let left = if line == 0 { left } else { "" };
            let mut row = format!("{left:>width$} ", width = GUTTER - 1);
            for (node, lines) in wrapped.iter().enumerate() {
                let words = lines.get(line).map_or("", String::as_str);
                let padding = " ".repeat(room.saturating_sub(display_width(words)));
                row.push_str(&format!("{} {}{padding} ", mark(node), paint(cells[node].0, words)));
            }
            self.text.push_str(row.trim_end());
            self.text.push('\n');
        }
    }

    /// One statement, across all lanes.
    fn across(&mut self, left: &str, style: &str, words: &str) {
        for (line, words) in wrap(words, self.width - GUTTER).iter().enumerate() {
            let left = if line == 0 { left } else { "" };
            let row = format!("{left:>width$} {}", paint(style, words), width = GUTTER - 1);
            self.text.push_str(row.trim_end());
            self.text.push('\n');
        }
    }
}

/// Words in lines that are no wider than `width`; what has no gap is cut.
fn wrap(words: &str, width: usize) -> Vec<String> {
    let options = Options::new(width.max(1)).word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(words, options).into_iter().map(std::borrow::Cow::into_owned).collect()
}

fn paint(style: &str, words: &str) -> String {
    if style.is_empty() || words.is_empty() {
        words.to_owned()
    } else {
        format!("\u{1b}[{style}m{words}\u{1b}[0m")
    }
}

/// How a lane looks.
fn mark(node: &NodePicture) -> &'static str {
    match node {
        NodePicture { alive: false, .. } => "┊",
        NodePicture { leads: true, .. } => "★",
        NodePicture { isolated: true, .. } => "≀",
        NodePicture { in_isr: true, .. } => "┃",
        _ => "│",
    }
}

fn style_of(kind: &str) -> &'static str {
    match kind {
        "isr_append_rejected" | "message_dropped" | "isr_node_crashed" | "isr_fsync_loss" => RED,
        "isr_controller_elected" | "isr_member_removed" | "isr_node_isolated" => YELLOW,
        "isr_member_added" | "isr_node_restarted" | "isr_node_healed" => GREEN,
        _ => "",
    }
}

/// A node's log, and what it knows of it.
fn state_of(node: &NodePicture) -> String {
    let entries: Vec<_> =
        node.log.iter().map(|entry| format!("{}@{}", entry.text, entry.epoch)).collect();
    let mut words = match entries.len() {
        0 => "[]".to_owned(),
        // The end is what differs.
        length if length > 6 => format!("[… {}]", entries[length - 4..].join(" ")),
        _ => format!("[{}]", entries.join(" ")),
    };
    if node.log.len() > 6 {
        words.push_str(&format!(" end {}", node.log.len()));
    }
    words.push_str(&format!(" HW {}", node.high_watermark));
    if let Some(durable) = node.durable.filter(|&durable| durable != node.log.len() as u64) {
        words.push_str(&format!(", synced {durable}"));
    }
    for (is_so, word) in [(!node.alive, "down"), (node.isolated, "cut off"), (node.slow, "slow")] {
        if is_so {
            words.push_str(&format!(", {word}"));
        }
    }
    if !node.note.is_empty() {
        words.push_str(&format!("; {}", node.note));
    }
    words
}
