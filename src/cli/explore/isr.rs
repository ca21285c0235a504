//! Exploring the model `isr`.

use super::Explore;
use crate::cli::options::{parse_guard, parse_variant, rules_of};
use crate::cli::{Exit, Failed};
use crate::explore::{Bounds, Exploration};
use crate::isr::{GroupConfiguration, IsrModel, Operation, Rules, Settings, Variant};
use crate::report::{Told, isr_findings, isr_subject};
use crate::scenario::NUMBER_MAX;
use clap::Args;

/// The numbers where no others are asked for.
const SMALL: Settings = Settings::SMALL;

/// What is offered where nothing else is asked for.
const OPERATIONS: &str =
    "write+submit=2,controller_elect=1,crash_losing=1,restart,isolate=1,heal=1,tick";

/// The partition's configuration: small numbers, so that there are few states.
#[derive(Args, Debug)]
#[command(next_help_heading = "Options of the model isr")]
pub(super) struct IsrOptions {
    /// The rules that it follows; see `highwater list variants` [default: published]
    #[arg(long, value_parser = parse_variant)]
    pub(super) variant: Option<Variant>,

    /// How many keys writes and reads name
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=16))]
    keys: u16,

    /// How many nodes
    #[arg(long, value_name = "N", default_value_t = SMALL.nodes)]
    nodes: usize,

    /// `min.insync.replicas`
    #[arg(long, value_name = "N", default_value_t = SMALL.min_insync_replicas as u64, value_parser = clap::value_parser!(u64).range(..=NUMBER_MAX))]
    min_insync_replicas: u64,

    /// Ticks without being caught up after which a follower leaves the ISR
    #[arg(long, value_name = "TICKS", default_value_t = SMALL.replica_lag_timeout_ticks, value_parser = clap::value_parser!(u64).range(..=NUMBER_MAX))]
    replica_lag_timeout: u64,

    /// Latest leader appends that can be replayed to a follower
    #[arg(long, value_name = "ENTRIES", default_value_t = SMALL.log_retention_entries as u64, value_parser = clap::value_parser!(u64).range(..=NUMBER_MAX))]
    log_retention: u64,

    /// Ticks that a message takes
    #[arg(long, value_name = "TICKS", default_value_t = SMALL.replication_delay_ticks, value_parser = clap::value_parser!(u64).range(..=NUMBER_MAX))]
    replication_delay: u64,

    /// How many times a waiting write is looked at, a tick apart
    #[arg(long, value_name = "TICKS", default_value_t = SMALL.ack_timeout_ticks, value_parser = clap::value_parser!(u64).range(..=NUMBER_MAX))]
    ack_timeout: u64,

    /// Ticks for which a leader may serve authoritative reads after it last had enough ISR members
    #[arg(long, value_name = "TICKS", default_value_t = SMALL.lease_duration_ticks, allow_negative_numbers = true)]
    lease_duration: i64,

    /// By how many ticks `delay_message` delays at most
    #[arg(long, value_name = "TICKS", default_value = "1", value_parser = clap::value_parser!(u64).range(1..=64))]
    max_delay: u64,
}

impl IsrOptions {
    fn settings(&self, rules: Rules) -> Result<Settings, Failed> {
        let configuration = GroupConfiguration {
            nodes: (1..=self.nodes.min(1000)).map(|number| format!("node-{number}")).collect(),
            leader: None,
            min_insync_replicas: self.min_insync_replicas,
            replica_lag_timeout_ticks: self.replica_lag_timeout,
            log_retention_entries: self.log_retention,
            replication_delay_ticks: self.replication_delay,
            ack_timeout_ticks: self.ack_timeout,
            lease_duration_ticks: self.lease_duration,
            seed: 0,
        };
        let limits = configuration.limits_for_engines();
        Ok(configuration.check(rules, limits)?)
    }
}

pub(super) fn run(explore: &Explore) -> Result<Exit, Failed> {
    let bounds = Bounds::parse::<IsrModel>(explore.operations.as_deref().unwrap_or(OPERATIONS))
        .map_err(|error| Failed(format!("--operations: {error}")))?;
    let parse = |name: &String| {
        parse_guard(name).map_err(|error| Failed(format!("--without: {name:?}: {error}")))
    };
    let without = explore.without.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    let settings =
        explore.isr.settings(rules_of(explore.isr.variant.unwrap_or_default(), &without)?)?;
    let model = model_for(&bounds, &explore.isr);
    let exploration = Exploration {
        model: &model,
        settings,
        bounds,
        selection: explore.invariants.selection()?,
        second_phase: !explore.no_second_phase,
        keep_going: explore.keep_going,
        is_wide: explore.fingerprint == "128",
        symmetries: explore.symmetries(&model, &settings)?,
        limits: explore.limits()?,
    };
    let mut subject = isr_subject(&exploration);
    subject.configuration.push_str(&format!("; keys {}", model.keys));
    if model.network_faults {
        let delay = format!(", messages delayed by up to {} ticks", model.delay_ticks_max);
        subject.configuration.push_str(&delay);
    }
    explore.drive(&exploration, subject, |explored| {
        let findings = isr_findings(&exploration, explored);
        let files = explore.save(&findings)?;
        Ok((findings.iter().map(Told::of).collect(), files))
    })
}

/// The model that offers what the bounds speak of.
fn model_for(bounds: &Bounds, options: &IsrOptions) -> IsrModel {
    IsrModel {
        keys: options.keys,
        network_faults: network_faults_are_offered(bounds),
        delay_ticks_max: options.max_delay,
        ..IsrModel::FRESH
    }
}

fn network_faults_are_offered(bounds: &Bounds) -> bool {
    let is_of_network = |name: &str| name.ends_with("_message") || name.ends_with("_link");
    let mut kinds = Operation::NAMES.iter().enumerate();
    kinds.any(|(kind, name)| is_of_network(name) && bounds.offers(kind))
}
