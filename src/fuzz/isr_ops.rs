//! Target `isr_ops`: operations and faults, all invariants.

use crate::fuzz::{Bug, Fuzzed};
use crate::isr::{IsrModel, Rules, Variant};
use crate::picture::{Picture, TEXT_WIDTH};
use crate::report::scenario_of;
use crate::run::{Verdict, run};
use crate::scenario::fuzz_input::FuzzInput;
use crate::scenario::{Expectation, Scenario};
use highwater_invariants::Selection;

/// The environment variable that names other rules than `hardened`, for demonstrations:
/// `published`, or `hardened-without-GUARD`.
pub const VARIANT_VARIABLE: &str = "HIGHWATER_FUZZ_VARIANT";

/// The rules that are fuzzed: those that [`VARIANT_VARIABLE`] names, else `hardened`.
///
/// # Errors
/// The variable names no rules.
pub fn rules_from_environment() -> Result<Rules, String> {
    match std::env::var(VARIANT_VARIABLE) {
        Ok(name) => Rules::from_name(&name).map_err(|error| format!("{VARIANT_VARIABLE}: {error}")),
        Err(std::env::VarError::NotPresent) => Ok(Rules::of(Variant::Hardened)),
        Err(error) => Err(format!("{VARIANT_VARIABLE}: {error}")),
    }
}

/// Runs an input under `rules`, whichever rules it names itself.
///
/// # Errors
/// A violation. `artifact` says where the fuzzer keeps the bytes; it is asked only then.
pub fn fuzz(bytes: &[u8], rules: Rules, artifact: impl FnOnce() -> String) -> Result<Fuzzed, Bug> {
    let Ok(input) = under(bytes, rules) else {
        return Ok(Fuzzed::NotAnInput);
    };
    let verdict = verdict_of(&input);
    if verdict.failures.is_empty() && !verdict.halted {
        return Ok(Fuzzed::Ran);
    }
    Err(bug(&input, &verdict, &artifact()))
}

/// The input that these bytes are, under `rules`.
fn under(bytes: &[u8], rules: Rules) -> Result<FuzzInput, crate::scenario::fuzz_input::NotAnInput> {
    let mut input = FuzzInput::decode(bytes)?;
    input.settings.rules = rules;
    Ok(input)
}

/// Runs an input with all invariants.
pub fn verdict_of(input: &FuzzInput) -> Verdict {
    run(&IsrModel::default(), &input.settings, &input.operations, Selection::ALL)
}

/// An input as a scenario that expects what a run of it gives.
pub fn scenario(input: &FuzzInput) -> Scenario {
    expecting(input, &verdict_of(input))
}

fn expecting(input: &FuzzInput, verdict: &Verdict) -> Scenario {
    let mut scenario = scenario_of(&input.settings, &input.operations);
    scenario.expectation = match verdict.failures.first() {
        Some(failure) => Some(Expectation::of(failure)),
        None => verdict.is_clean().then_some(Expectation::Clean),
    };
    scenario
}

fn bug(input: &FuzzInput, verdict: &Verdict, artifact: &str) -> Bug {
    let scenario = expecting(input, verdict);
    let replay = Picture::of_scenario(&scenario).text(TEXT_WIDTH);
    let json = scenario.to_json();
    let rules = input.settings.rules;
    let without: Vec<_> = rules.without.iter().map(crate::isr::Guard::name).collect();
    let without = if without.is_empty() {
        String::new()
    } else {
        format!(" --without {}", without.join(","))
    };
    format!(
        "a violation of {rules}\n\n{replay}\nAs a scenario, to be saved as FILE and replayed with \
         `highwater replay FILE`:\n{json}\nTo shrink it and see what is left:\n  \
         highwater corpus to-scenario {artifact} --variant {}{without} --shrink --out findings\n",
        rules.variant
    )
}
