//! Target `scenario_file`: any bytes as a scenario file.

use crate::fuzz::{Bug, Fuzzed};
use crate::scenario::{Place, Scenario};
use std::path::Path;

/// Parses `bytes` as a scenario file. What parses must survive being written and parsed again; what
/// does not must be refused with a place and a reason.
///
/// # Errors
/// One of the two is not so.
pub fn fuzz(bytes: &[u8]) -> Result<Fuzzed, Bug> {
    let file = Path::new("FILE");
    match Scenario::parse(file, bytes) {
        Ok(scenario) => {
            let json = scenario.to_json();
            let again = Scenario::parse(file, json.as_bytes())
                .map_err(|error| format!("what was written is refused: {error}\n{json}"))?;
            if again.to_json() != json {
                return Err(format!("writing and reading changes a scenario:\n{json}"));
            }
            if again.settings != scenario.settings || again.operations != scenario.operations {
                return Err(format!("writing and reading changes what a scenario does:\n{json}"));
            }
        }
        Err(error) => {
            if error.place == Place::default() {
                return Err(format!("an error without a place: {error}"));
            }
            if error.reason.trim().is_empty() {
                return Err(format!("an error without a reason: {error}"));
            }
        }
    }
    Ok(Fuzzed::Ran)
}
