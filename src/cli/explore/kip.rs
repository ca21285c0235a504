//! Exploring the models of Kafka's history.

use super::Explore;
use crate::cli::model::ModelName;
use crate::cli::{Exit, Failed};
use crate::explore::{Bounds, Counterexample, Exploration};
use crate::isr::IsrModel;
use crate::kip::{AsyncIsrModel, KipModel, Stepwise};
use crate::model::Model;
use crate::report::{Finding, Reported, Told, step_subject};

pub(super) fn run(explore: &Explore) -> Result<Exit, Failed> {
    match explore.model {
        ModelName::Kip(preset) => {
            run_with(explore, &KipModel, explore.kip.settings(preset, &explore.without)?)
        }
        ModelName::AsyncIsr => {
            run_with(explore, &AsyncIsrModel, explore.kip.async_isr(&explore.without)?)
        }
        ModelName::Isr => Err(Failed(format!("{} is explored otherwise", IsrModel::NAME))),
    }
}

fn run_with<M: Stepwise>(
    explore: &Explore,
    model: &M,
    settings: M::Settings,
) -> Result<Exit, Failed> {
    let selection = explore.invariants.selection_of(M::APPLICABLE, M::name_of(&settings))?;
    let bounds = match &explore.operations {
        None => Bounds::none::<M>(),
        Some(text) => {
            Bounds::parse::<M>(text).map_err(|error| Failed(format!("--operations: {error}")))?
        }
    };
    let exploration = Exploration {
        model,
        bounds,
        selection,
        // There is nothing in flight, and no fault that could stop.
        second_phase: false,
        keep_going: explore.keep_going,
        is_wide: explore.fingerprint == "128",
        symmetries: explore.symmetries(model, &settings)?,
        limits: explore.limits()?,
        settings,
    };
    explore.drive(&exploration, step_subject::<M>(&settings), |explored| {
        let finding = |one: &Counterexample<M>| {
            Finding::of(M::scenario(&settings, &one.operations, None), &one.failure)
        };
        let findings: Vec<_> = explored.counterexamples.iter().map(finding).collect();
        let files = explore.save(&findings)?;
        Ok((findings.iter().map(Told::of_steps).collect(), files))
    })
}
