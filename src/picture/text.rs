//! A picture in words: configuration, lanes, what is violated, what that is worth.

use crate::picture::Picture;
use crate::run::Phase;
use crate::scenario::{phase_name, place_in_words};
use anstream::adapter::strip_str;

impl Picture {
    /// All of it, `width` columns wide.
    pub fn text(&self, width: usize) -> String {
        strip_str(&self.coloured_text(width)).to_string()
    }

    /// The same with the escape sequences of a terminal's colours.
    pub fn coloured_text(&self, width: usize) -> String {
        let mut text = self.heading(width);
        for index in 0..self.violations.len() {
            text.push_str(&self.violation_in_words(index));
        }
        for (what, names) in [
            ("UNDECIDED (a limit of the checker was reached)", &self.undecided),
            ("NOT CHECKED", &self.not_checked),
        ] {
            if !names.is_empty() {
                text.push_str(&format!("\n{what}: {}\n", names.join(", ")));
            }
        }
        text.push_str(&match (&self.expectation, self.expectation_met) {
            (Some(expectation), Some(true)) => format!("\nas expected: {expectation}\n"),
            (Some(expectation), _) => format!("\nNOT AS EXPECTED, which was: {expectation}\n"),
            (None, _) if self.verdict == "clean" => {
                "\nclean: no invariant is violated\n".to_owned()
            }
            (None, _) => String::new(),
        });
        text
    }

    /// The lanes, and the one violation that the scenario is about.
    pub fn text_of_the_expected(&self, width: usize) -> String {
        strip_str(&self.coloured_text_of_the_expected(width)).to_string()
    }

    /// The same with the escape sequences of a terminal's colours.
    pub fn coloured_text_of_the_expected(&self, width: usize) -> String {
        let mut text = self.heading(width);
        if !self.violations.is_empty() {
            text.push_str(&self.violation_in_words(0));
        }
        text
    }

    fn heading(&self, width: usize) -> String {
        let configuration =
            self.configuration.iter().map(|(name, value)| format!("{name} {value}"));
        let configuration = configuration.collect::<Vec<_>>().join(", ");
        let line = format!(
            "{}, rules {}: {} nodes, {configuration}",
            self.model,
            self.rules,
            self.nodes.len()
        );
        let mut text = format!("{}\n\n{}", textwrap::fill(&line, width.max(40)), self.lanes(width));
        if self.halted {
            text.push_str("\nThe run ended early: a limit was exceeded.\n");
        }
        text
    }

    fn violation_in_words(&self, index: usize) -> String {
        let violation = &self.violations[index];
        let phases = [Phase::Operations, Phase::Quiescence, Phase::Recovery];
        let phase = phases.into_iter().find(|&phase| phase_name(phase) == violation.phase);
        format!(
            "\nVIOLATED {} {}\n  {}\n  ({}: {})\n",
            violation.invariant,
            place_in_words(violation.operation, phase.unwrap_or(Phase::Operations)),
            violation.evidence,
            violation.kind,
            violation.statement,
        )
    }
}
