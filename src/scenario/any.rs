//! A scenario file of whichever model.

use crate::isr::IsrModel;
use crate::kip::{AsyncIsrModel, KIP_FORMAT, KipModel, StepScenario, Stepwise};
use crate::model::Model;
use crate::picture::Picture;
use crate::report::Replay;
use crate::run::Failure;
use crate::scenario::file::text_of;
use crate::scenario::{Expectation, FORMAT, Place, Scenario, ScenarioError, ScenarioFile};
use highwater_invariants::Selection;
use serde::Deserialize;
use std::path::Path;

/// A scenario of a model that is known once its file is read.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there are only ever a few")]
pub enum AnyScenario {
    /// Of the model `isr`.
    Isr(Scenario),
    /// Of one of the models `kip:truncate-to-hw` to `kip:320`.
    Kip(StepScenario<KipModel>),
    /// Of the model `kip:async-isr`.
    AsyncIsr(StepScenario<AsyncIsrModel>),
}

impl AnyScenario {
    /// Reads a scenario file.
    ///
    /// # Errors
    /// Names the file, the place in it and the reason.
    pub fn read(file: &Path) -> Result<Self, ScenarioError> {
        let bytes = std::fs::read(file).map_err(|error| ScenarioError::unreadable(file, &error))?;
        Self::parse(file, &bytes)
    }

    /// Parses the content of a scenario file; `file` is for errors.
    ///
    /// # Errors
    /// As [`AnyScenario::read`].
    pub fn parse(file: &Path, bytes: &[u8]) -> Result<Self, ScenarioError> {
        /// What says of which model it is.
        #[derive(Deserialize)]
        struct Heading {
            format: Option<serde_json::Value>,
            model: Option<serde_json::Value>,
        }
        let text = text_of(file, bytes)?;
        // Whatever may follow it.
        let heading = Heading::deserialize(&mut serde_json::Deserializer::from_str(text));
        let Ok(Heading { format: Some(format), model }) = heading else {
            // It is none; the error of the format that it claims to have says why.
            if text.contains(KIP_FORMAT) {
                return StepScenario::parse(file, bytes).map(Self::Kip);
            }
            return Scenario::parse(file, bytes).map(Self::Isr);
        };
        if format == KIP_FORMAT {
            let is_async = model.is_some_and(|model| model == AsyncIsrModel::NAME);
            return if is_async {
                StepScenario::parse(file, bytes).map(Self::AsyncIsr)
            } else {
                StepScenario::parse(file, bytes).map(Self::Kip)
            };
        }
        if format != FORMAT {
            let reason = format!(
                "unknown format {format}; this version of highwater reads {FORMAT:?} and {KIP_FORMAT:?}"
            );
            return Err(ScenarioError::new(file, Place::at("format"), reason));
        }
        Scenario::parse(file, bytes).map(Self::Isr)
    }

    /// Its invariants: those that speak of its model.
    pub fn applicable(&self) -> Selection {
        match self {
            Self::Isr(_) => Selection::ALL,
            Self::Kip(_) => KipModel::APPLICABLE,
            Self::AsyncIsr(_) => AsyncIsrModel::APPLICABLE,
        }
    }

    /// Its model, as on the command line.
    pub fn model(&self) -> &'static str {
        match self {
            Self::Isr(_) => IsrModel::NAME,
            Self::Kip(scenario) => KipModel::name_of(&scenario.settings),
            Self::AsyncIsr(_) => AsyncIsrModel::NAME,
        }
    }

    /// Runs it, checking `selection`, and draws what happened.
    pub fn picture(&self, selection: Selection) -> Picture {
        match self {
            Self::Isr(scenario) => Picture::of(&Replay::of(scenario, selection)),
            Self::Kip(scenario) => scenario.picture(selection),
            Self::AsyncIsr(scenario) => scenario.picture(selection),
        }
    }

    /// What it expects.
    pub fn expectation(&self) -> Option<Expectation> {
        match self {
            Self::Isr(scenario) => scenario.expectation,
            Self::Kip(scenario) => scenario.expectation,
            Self::AsyncIsr(scenario) => scenario.expectation,
        }
    }
}

impl ScenarioFile for AnyScenario {
    fn to_json(&self) -> String {
        match self {
            Self::Isr(scenario) => scenario.to_json(),
            Self::Kip(scenario) => scenario.to_json(),
            Self::AsyncIsr(scenario) => scenario.to_json(),
        }
    }

    fn expect(&mut self, failure: &Failure) {
        match self {
            Self::Isr(scenario) => scenario.expect(failure),
            Self::Kip(scenario) => scenario.expect(failure),
            Self::AsyncIsr(scenario) => scenario.expect(failure),
        }
    }

    fn kinds(&self) -> Vec<&'static str> {
        match self {
            Self::Isr(scenario) => scenario.kinds(),
            Self::Kip(scenario) => scenario.kinds(),
            Self::AsyncIsr(scenario) => scenario.kinds(),
        }
    }
}
