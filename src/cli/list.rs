//! `highwater list`: what there is.

use crate::cli::output::{print, print_json};
use crate::cli::{Exit, Failed};
use crate::isr::{Guard, Operation, Variant};
use crate::scenario::generate::Profile;
use clap::{Args, ValueEnum};
use highwater_invariants::InvariantId;
use serde_json::json;

/// List models, variants, guards, invariants, operations or profiles, each with what it says
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  highwater list invariants
  highwater list operations --json")]
pub(super) struct List {
    /// What to list
    what: What,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
enum What {
    Models,
    Variants,
    Guards,
    Invariants,
    Operations,
    Profiles,
}

impl List {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        let rows = rows(self.what);
        if self.json {
            let rows: Vec<_> = rows
                .iter()
                .map(|(name, statement)| json!({"name": name, "statement": statement}))
                .collect();
            print_json(&json!(rows))?;
        } else {
            let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
            let lines =
                rows.iter().map(|(name, statement)| format!("{name:width$}  {statement}\n"));
            print(&lines.collect::<String>())?;
        }
        Ok(Exit::Clean)
    }
}

fn rows(what: What) -> Vec<(&'static str, &'static str)> {
    match what {
        What::Models => {
            vec![("isr", "one replicated partition: leader, followers, controller (PROTOCOL.md)")]
        }
        What::Variants => {
            Variant::ALL.map(|variant| (variant.name(), variant.statement())).to_vec()
        }
        What::Guards => Guard::ALL.iter().map(|guard| (guard.name(), guard.statement())).collect(),
        What::Invariants => {
            InvariantId::ALL.map(|invariant| (invariant.name(), invariant.statement())).to_vec()
        }
        What::Operations => Operation::KINDS.to_vec(),
        What::Profiles => Profile::ALL.map(|profile| (profile.name(), profile.purpose())).to_vec(),
    }
}
