//! A scenario as a Rust test that compiles as it is.

use crate::picture::Picture;

impl Picture {
    /// The same with the test in it.
    pub(super) fn with_rust_test(self) -> Self {
        Self { rust_test: self.rust_test(), ..self }
    }

    /// The test. It fails for as long as something is violated, and says what.
    pub fn rust_test(&self) -> String {
        // More of them than stand together anywhere in the text.
        let longest = self.scenario.split(|letter| letter != '#').map(str::len).max();
        let fence = "#".repeat(longest.unwrap_or(0) + 1);
        // Letters that turn the direction of what follows are refused by the compiler; in JSON they
        // can stand only where they can be escaped.
        let scenario: String = self.scenario.chars().map(escaped).collect();
        let name = self.test_name();
        format!(
            "\
//! Written by `highwater replay FILE --rust-test`.

use highwater::scenario::AnyScenario;
use std::path::Path;

#[test]
fn {name}() {{
    let file = Path::new(\"{name}\");
    let scenario = AnyScenario::parse(file, SCENARIO.as_bytes()).unwrap();
    let picture = scenario.picture(scenario.applicable());
    assert_eq!(picture.verdict, \"clean\", \"\\n{{}}\", picture.text(100));
}}

const SCENARIO: &str = r{fence}\"{scenario}\"{fence};
"
        )
    }

    /// A name that says what is tested, if nothing is left out.
    fn test_name(&self) -> String {
        let about = match self.violations.first() {
            Some(violation) => format!("{}_{}", violation.invariant, violation.kind),
            None => "nothing_is_violated".into(),
        };
        about
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' })
            .collect()
    }
}

/// A letter as JSON may write it.
fn escaped(letter: char) -> String {
    match letter {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            format!("\\u{:04x}", u32::from(letter))
        }
        other => other.to_string(),
    }
}
