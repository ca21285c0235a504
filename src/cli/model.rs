//! Which model, and the constants of the models of Kafka's history.

use crate::cli::{Failed, given};
use crate::isr::IsrModel;
use crate::kip::{AsyncIsrModel, AsyncIsrSettings, HwOver, KipSettings, Preset, Rules};
use crate::model::Model;
use clap::Args;

/// A model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ModelName {
    Isr,
    Kip(Preset),
    AsyncIsr,
}

/// Constants of the models `kip:truncate-to-hw` to `kip:320`.
const OF_HISTORY: [&str; 3] = ["--log-size", "--max-records", "--max-leader-epoch"];
/// Constants of `kip:async-isr`.
const OF_ASYNC_ISR: [&str; 3] = ["--max-offset", "--max-version", "--hw-over"];
/// Numbers of the model `isr` that only some commands ask for.
const OF_ISR: [&str; 10] = [
    "--variant",
    "--keys",
    "--nodes",
    "--min-insync-replicas",
    "--replica-lag-timeout",
    "--log-retention",
    "--replication-delay",
    "--ack-timeout",
    "--lease-duration",
    "--max-delay",
];

impl ModelName {
    /// Refuses options that speak of another model: a verdict would be of something else than was
    /// asked for.
    pub(super) fn require_own_options(self) -> Result<(), Failed> {
        let foreign = match self {
            Self::Isr => [&["--replicas"][..], &OF_HISTORY, &OF_ASYNC_ISR].concat(),
            Self::Kip(_) => [&OF_ISR[..], &OF_ASYNC_ISR].concat(),
            Self::AsyncIsr => [&OF_ISR[..], &OF_HISTORY].concat(),
        };
        match given::first_of(&foreign) {
            None => Ok(()),
            Some(option) => {
                let model = match self {
                    Self::Isr => IsrModel::NAME,
                    Self::Kip(preset) => preset.command_line_name(),
                    Self::AsyncIsr => AsyncIsrModel::NAME,
                };
                Err(Failed(format!("{option}: means nothing to the model {model}; see --help")))
            }
        }
    }
}

pub(super) fn parse_model(name: &str) -> Result<ModelName, String> {
    match name {
        "isr" => return Ok(ModelName::Isr),
        AsyncIsrModel::NAME => return Ok(ModelName::AsyncIsr),
        _ => {}
    }
    Preset::from_name(name).map(ModelName::Kip).ok_or_else(|| {
        let presets = Preset::ALL.map(|preset| preset.to_string()).join(", ");
        format!("unknown model; known are isr, {presets}, {}", AsyncIsrModel::NAME)
    })
}

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
    #[arg(long, default_value = "both", value_parser = HwOver::ALL.map(HwOver::name))]
    hw_over: String,
}

impl KipOptions {
    /// Settings of a specification, less some of its rules.
    pub(super) fn settings(
        &self,
        preset: Preset,
        without: &[String],
    ) -> Result<KipSettings, Failed> {
        let Self { replicas, log_size, max_records, max_leader_epoch, .. } = *self;
        let rules = without.iter().try_fold(preset.rules(), |rules, name| {
            rules.without(name).ok_or_else(|| {
                let known = Rules::NAMES.join(", ");
                Failed(format!("--without: unknown rule {name:?} of {preset}; known are {known}"))
            })
        })?;
        let settings = KipSettings { replicas, log_size, max_records, max_leader_epoch, rules };
        settings.check()?;
        Ok(settings)
    }

    /// Settings of `kip:async-isr`.
    pub(super) fn async_isr(&self, without: &[String]) -> Result<AsyncIsrSettings, Failed> {
        if let Some(name) = without.first() {
            return Err(Failed(format!(
                "--without: unknown rule {name:?} of {}; see --hw-over",
                AsyncIsrModel::NAME
            )));
        }
        let Self { replicas, max_offset, max_version, .. } = *self;
        let named = HwOver::ALL.into_iter().find(|over| over.name() == self.hw_over);
        let hw_over = named.unwrap_or_default();
        let settings = AsyncIsrSettings { replicas, max_offset, max_version, hw_over };
        settings.check()?;
        Ok(settings)
    }
}
