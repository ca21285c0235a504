//! Options that several subcommands share.

use crate::cli::Failed;
use crate::cli::model::{ModelName, parse_model};
use crate::isr::{Guard, Rules, Variant};
use clap::Args;
use highwater_invariants::{InvariantId, Selection};
use std::path::Path;

/// Which model, under which rules.
#[derive(Args, Debug)]
pub(super) struct ModelOptions {
    /// The model; see `highwater list models`
    #[arg(long, default_value = "isr", value_parser = parse_model)]
    pub(super) model: ModelName,

    /// The rules that the model isr follows; see `highwater list variants` [default: published]
    #[arg(long, value_parser = parse_variant)]
    pub(super) variant: Option<Variant>,

    /// Switch off these rules: guards of an isr variant, or rules of a kip model; see
    /// `highwater list guards`
    #[arg(long, value_name = "RULE[,RULE...]", value_delimiter = ',')]
    pub(super) without: Vec<String>,
}

impl ModelOptions {
    /// The rules of the model isr.
    pub(super) fn rules(&self) -> Result<Rules, Failed> {
        let parse = |name: &String| {
            parse_guard(name).map_err(|error| Failed(format!("--without: {name:?}: {error}")))
        };
        let without = self.without.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        rules_of(self.variant.unwrap_or_default(), &without)
    }
}

/// A variant less some of its guards.
pub(super) fn rules_of(variant: Variant, without: &[Guard]) -> Result<Rules, Failed> {
    without.iter().try_fold(Rules::of(variant), |rules, &guard| {
        if !variant.guards().has(guard) {
            return Err(Failed(format!("--without: {variant} has no guard {guard}")));
        }
        Ok(rules.without(guard))
    })
}

pub(super) fn parse_guard(name: &str) -> Result<Guard, String> {
    Guard::from_name(name).ok_or_else(|| {
        let known: Vec<_> = Guard::ALL.iter().map(|guard| guard.name()).collect();
        format!("unknown guard; known are {}", known.join(", "))
    })
}

/// Which invariants.
#[derive(Args, Debug)]
pub(super) struct InvariantOptions {
    /// Check only these invariants (`none` checks nothing); see `highwater list invariants`
    #[arg(long = "invariant", value_name = "NAME[,NAME...]", value_delimiter = ',')]
    names: Vec<String>,
}

impl InvariantOptions {
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// What to check of the model `isr`.
    pub(super) fn selection(&self) -> Result<Selection, Failed> {
        self.selection_of(Selection::ALL, "isr")
    }

    /// What to check of a model to which the invariants `applicable` apply.
    pub(super) fn selection_of(
        &self,
        applicable: Selection,
        model: &str,
    ) -> Result<Selection, Failed> {
        match self.names.as_slice() {
            [] => return Ok(applicable),
            [none] if none == "none" => return Ok(Selection::NONE),
            _ => {}
        }
        self.names.iter().try_fold(Selection::NONE, |selection, name| {
            let applies = |invariant: &InvariantId| applicable.contains(*invariant);
            let invariant = InvariantId::from_name(name).filter(applies).ok_or_else(|| {
                let known: Vec<_> = applicable.iter().map(InvariantId::name).collect();
                let known = known.join(", ");
                Failed(format!(
                    "--invariant: unknown invariant {name:?} of {model}; known are {known}"
                ))
            })?;
            Ok(selection.with(invariant))
        })
    }
}

/// The threads that a command was given, or one for each core.
pub(super) fn thread_pool(threads: Option<u16>) -> Result<rayon::ThreadPool, Failed> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.map_or(0, usize::from)).build();
    pool.map_err(|error| Failed(format!("cannot start threads: {error}")))
}

/// Fails early, before any work is done, if nothing could be written into `folder`.
pub(super) fn require_writable(folder: &Path) -> Result<(), Failed> {
    let probe = || {
        std::fs::create_dir_all(folder)?;
        tempfile::Builder::new().prefix(".highwater-").tempfile_in(folder).map(drop)
    };
    probe().map_err(|error: std::io::Error| {
        Failed(format!("{}: cannot write into this folder: {error}", folder.display()))
    })
}

pub(super) fn parse_variant(name: &str) -> Result<Variant, String> {
    Variant::from_name(name).ok_or_else(|| {
        format!("unknown variant; known are {}", Variant::ALL.map(Variant::name).join(", "))
    })
}
