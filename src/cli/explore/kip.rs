//! Exploring the models of Kafka's history.

use super::Explore;
use crate::cli::{Exit, Failed};
use crate::explore::{Bounds, Exploration};
use crate::kip::{AsyncIsrModel, AsyncIsrSettings, HwOver, KipModel, KipSettings, Preset, Rules};
use crate::model::Model;
use crate::report::{Subject, Told, kip_subject, tell_kip};
use clap::Args;
use highwater_invariants::{InvariantId, Selection};

/// Constants of the specifications.
#[derive(Args, Debug)]
#[command(next_help_heading = "Options of the models kip:...")]
pub(super) struct KipOptions {
    /// How many replicas
    #[arg(long, value_name = "N", default_value = "3")]
    replicas: usize,

    /// How many records a log can hold
    #[arg(long, value_name = "N", default_value = "2")]
    log_size: u8,

    /// How many records are ever written
    #[arg(long, value_name = "N", default_value = "2")]
    max_records: u8,

    /// The last leader epoch; the first is 0
    #[arg(long, value_name = "N", default_value = "1")]
    max_leader_epoch: u8,

    /// kip:async-isr: the largest offset
    #[arg(long, value_name = "N", default_value = "2")]
    max_offset: u8,

    /// kip:async-isr: the controller's last version
    #[arg(long, value_name = "N", default_value = "2")]
    max_version: u8,

    /// kip:async-isr: over which ISR the high watermark is taken; both is as published
    #[arg(long, default_value = "both", value_parser = ["both", "committed", "proposed"])]
    hw_over: String,
}

/// Every specification's invariants but the one of `AsyncIsr`.
const OF_HISTORY: Selection = Selection::SPECIFIED.without(InvariantId::ValidHighWatermark);

pub(super) fn run(explore: &Explore, preset: Preset) -> Result<Exit, Failed> {
    let KipOptions { replicas, log_size, max_records, max_leader_epoch, .. } = explore.kip;
    let without = explore.without.iter().try_fold(preset.rules(), |rules, name| {
        rules.without(name).ok_or_else(|| {
            let known = Rules::NAMES.join(", ");
            Failed(format!("--without: unknown rule {name:?} of {preset}; known are {known}"))
        })
    });
    let rules = without?;
    let settings = KipSettings { replicas, log_size, max_records, max_leader_epoch, rules };
    settings.check()?;
    let selection = explore.invariants.selection_of(OF_HISTORY, &preset.to_string())?;
    let exploration = exploration(explore, &KipModel, settings, selection)?;
    let subject = kip_subject(preset, &settings, &explore.without);
    explore.drive(&exploration, subject, |explored| {
        let told = explored.counterexamples.iter().map(|one| tell_kip(&settings, one));
        Ok((told.collect(), Vec::new()))
    })
}

pub(super) fn run_async_isr(explore: &Explore) -> Result<Exit, Failed> {
    if let Some(name) = explore.without.first() {
        return Err(Failed(format!(
            "--without: unknown rule {name:?} of kip:async-isr; see --hw-over"
        )));
    }
    let KipOptions { replicas, max_offset, max_version, .. } = explore.kip;
    let hw_over = match explore.kip.hw_over.as_str() {
        "committed" => HwOver::Committed,
        "proposed" => HwOver::Proposed,
        _ => HwOver::Both,
    };
    let settings = AsyncIsrSettings { replicas, max_offset, max_version, hw_over };
    settings.check()?;
    let applicable = Selection::only(InvariantId::ValidHighWatermark);
    let selection = explore.invariants.selection_of(applicable, AsyncIsrModel::NAME)?;
    let exploration = exploration(explore, &AsyncIsrModel, settings, selection)?;
    explore.drive(&exploration, Subject::of_async_isr(&settings), |explored| {
        Ok((explored.counterexamples.iter().map(Told::of_async_isr).collect(), Vec::new()))
    })
}

fn exploration<'m, M: Model>(
    explore: &Explore,
    model: &'m M,
    settings: M::Settings,
    selection: Selection,
) -> Result<Exploration<'m, M>, Failed> {
    let bounds = match &explore.operations {
        None => Bounds::none::<M>(),
        Some(text) => {
            Bounds::parse::<M>(text).map_err(|error| Failed(format!("--operations: {error}")))?
        }
    };
    Ok(Exploration {
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
    })
}
