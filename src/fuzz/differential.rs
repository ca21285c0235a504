//! Target `differential`: the same operations on two builds of the state must agree.
//!
//! Recording a trace changes nothing; and a write that blocks is the same as one that is submitted
//! and then ticked until it has its answer.

use crate::fuzz::{Bug, Fuzzed};
use crate::isr::{
    IsrError, IsrModel, Observed, Operation, Outcome, Partition, Patience, Settings, Submission,
    TracedIsrModel,
};
use crate::model::Model;
use crate::run::{Run, Verdict};
use crate::scenario::fuzz_input::FuzzInput;
use highwater_invariants::{AckLevel, Checker, Event, KeyId, Observer, Selection, ValueId};

/// Runs an input in all three ways.
///
/// # Errors
/// Two of them differ.
pub fn fuzz(bytes: &[u8]) -> Result<Fuzzed, Bug> {
    let Ok(input) = FuzzInput::decode(bytes) else {
        return Ok(Fuzzed::NotAnInput);
    };
    let (plain, verdict) = by_step(&IsrModel::default(), &input);
    let (traced, traced_verdict) = by_step(&TracedIsrModel::default(), &input);
    let in_words = || format!("{:?}\n{:#?}", input.settings, input.operations);
    if let Some(place) = first_difference(&plain, &traced) {
        return Err(format!("tracing changes operation {place} (0: the start) of\n{}", in_words()));
    }
    if verdict != traced_verdict {
        return Err(format!("tracing changes the verdict of\n{}", in_words()));
    }
    if let Some(place) = first_difference(&plain, &with_pending_writes(&input)) {
        return Err(format!(
            "waiting is not submitting and ticking, at operation {place} of\n{}",
            in_words()
        ));
    }
    Ok(Fuzzed::Ran)
}

/// What can be seen after an operation: its outcome, and the state with all that was promised.
type Step = (Option<Outcome>, u64, usize);

fn first_difference(one: &[Step], other: &[Step]) -> Option<usize> {
    let common = one.iter().zip(other).position(|(one, other)| one != other);
    common.or_else(|| (one.len() != other.len()).then(|| one.len().min(other.len())))
}

fn by_step<M>(model: &M, input: &FuzzInput) -> (Vec<Step>, Verdict)
where
    M: Model<Settings = Settings, Operation = Operation, Outcome = Outcome>,
{
    let mut run = Run::new(model, &input.settings, Selection::ALL);
    let mut steps = vec![(None, run.fingerprint(), 0)];
    for &operation in &input.operations {
        let outcome = run.apply(operation);
        steps.push((Some(outcome), run.fingerprint(), run.failures().len()));
        if run.is_halted() {
            break;
        }
    }
    run.finish();
    (steps, run.verdict())
}

/// The same operations, every write submitted and ticked.
fn with_pending_writes(input: &FuzzInput) -> Vec<Step> {
    let model = IsrModel::default();
    let mut state = model.initial(&input.settings);
    let mut checker = Checker::new(Selection::ALL, &state);
    let mut steps = vec![(None, model.fingerprint(&state, &checker), 0)];
    for &operation in &input.operations {
        let outcome = match operation {
            Operation::Write { key, value, ack } => {
                submit_and_tick(&mut state, key, value, ack, &mut checker)
            }
            other => model.apply(&mut state, other, &mut checker),
        };
        checker.observe(Event::OperationEnded, &state);
        let fingerprint = model.fingerprint(&state, &checker);
        steps.push((Some(outcome), fingerprint, checker.violations().len()));
        if state.is_halted() {
            break;
        }
    }
    steps
}

fn submit_and_tick(
    state: &mut Partition,
    key: KeyId,
    value: ValueId,
    ack: AckLevel,
    checker: &mut Checker,
) -> Outcome {
    let patience = Patience::of_client(state.settings(), true);
    let recorder = &mut Observed(checker);
    let submission = state.submit(key, value, ack, patience, recorder);
    let outcome = match submission {
        Err(error) => Outcome::Refused(error),
        Ok(Submission::Answered(answer)) => Outcome::Written(answer),
        Ok(Submission::Pending { write, .. }) => loop {
            state.tick(recorder);
            if let Some(answer) = state.take_answer(write) {
                break Outcome::Written(answer);
            }
            if state.is_halted() {
                break Outcome::Refused(IsrError::OverMessageBudget);
            }
        },
    };
    state.check_message_budget(recorder);
    outcome
}
