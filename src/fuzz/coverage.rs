//! What an input covers, by Highwater's own measure, so that a corpus can be judged on stable Rust.

use crate::isr::IsrModel;
use crate::model::Model;
use crate::run::Run;
use crate::scenario::fuzz_input::FuzzInput;
use highwater_invariants::{InvariantId, Selection};
use std::collections::BTreeSet;

/// Something that an input made happen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Feature {
    /// An operation answered like this, right after an operation of that kind. Kinds and outcomes
    /// by number.
    Answer {
        /// Kind of the operation before; `None` at the start.
        after: Option<u8>,
        /// Kind.
        kind: u8,
        /// Outcome.
        outcome: u8,
    },
    /// A branch of the protocol, by number.
    Branch(u8),
    /// The premise of an invariant came up.
    Premise(InvariantId),
}

/// What an input covers, and whether it is clean.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    /// All that it made happen.
    pub features: BTreeSet<Feature>,
    /// Whether nothing was violated and no limit ended the run.
    pub is_clean: bool,
}

/// All that these inputs cover together.
pub fn features_of(inputs: &[FuzzInput]) -> BTreeSet<Feature> {
    inputs.iter().flat_map(|input| Coverage::of(input).features).collect()
}

impl Coverage {
    /// Runs an input and looks at what happens.
    pub fn of(input: &FuzzInput) -> Self {
        let model = IsrModel::default();
        let mut run = Run::new(&model, &input.settings, Selection::ALL);
        let mut features = BTreeSet::new();
        let mut after = None;
        for &operation in &input.operations {
            let outcome = run.apply(operation);
            let (kind, outcome) =
                (IsrModel::kind(operation) as u8, IsrModel::outcome(outcome) as u8);
            features.insert(Feature::Answer { after, kind, outcome });
            after = Some(kind);
            if run.is_halted() {
                break;
            }
        }
        let branches = IsrModel::branches(run.state());
        let reached = (0..64_u8).filter(|branch| branches & 1 << branch != 0);
        features.extend(reached.map(Feature::Branch));
        run.finish();
        let verdict = run.verdict();
        let tested = InvariantId::ALL.into_iter();
        let tested = tested.filter(|&invariant| verdict.tested[invariant as usize] > 0);
        features.extend(tested.map(Feature::Premise));
        Self { features, is_clean: verdict.failures.is_empty() && !verdict.halted }
    }
}
