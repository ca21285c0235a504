//! `highwater list`: what there is.

use crate::cli::output::{print, print_json};
use crate::cli::{Exit, Failed};
use crate::isr::{Guard, Operation, Variant};
use crate::kip::{AsyncIsrStep, Preset, Rules, Step};
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

fn rows(what: What) -> Vec<(&'static str, String)> {
    let named = |rows: &[(&'static str, &'static str)]| {
        rows.iter().map(|&(name, statement)| (name, statement.to_owned())).collect()
    };
    match what {
        What::Models => {
            let isr = "one replicated partition: leader, followers, controller (PROTOCOL.md)";
            let kip = |preset: Preset| {
                let module = preset.module();
                (preset.command_line_name(), format!("{} ({module})", preset.statement()))
            };
            let asynchronous = "the leader proposes ISR changes and does not wait (AsyncIsr)";
            let first = [("isr", isr.to_owned())].into_iter();
            let last = [("kip:async-isr", asynchronous.to_owned())];
            first.chain(Preset::ALL.map(kip)).chain(last).collect()
        }
        What::Variants => named(&Variant::ALL.map(|variant| (variant.name(), variant.statement()))),
        What::Guards => {
            let row = |guard: &Guard| {
                let (catcher, place) = (guard.catcher().name(), guard.place());
                let statement = guard.statement();
                (guard.name(), format!("{statement} [src/isr/{place}; without it: {catcher}]"))
            };
            let rules = Rules::NAMES.into_iter().zip(Rules::STATEMENTS);
            let rules = rules.map(|(name, statement)| (name, format!("{statement} [kip models]")));
            Guard::ALL.iter().map(row).chain(rules).collect()
        }
        What::Invariants => {
            let general = InvariantId::ALL.into_iter();
            let general = general.map(|one| (one.name(), one.statement().to_owned()));
            let specified = InvariantId::SPECIFIED.into_iter();
            let of_kip =
                |one: InvariantId| (one.name(), format!("{} [kip models]", one.statement()));
            general.chain(specified.map(of_kip)).collect()
        }
        What::Operations => {
            let isr = Operation::KINDS.map(|(name, statement)| (name, statement.to_owned()));
            let history = Step::KINDS.into_iter().zip(Step::STATEMENTS);
            let history = history.map(|(name, what)| (name, format!("{what} [kip models]")));
            let named = AsyncIsrStep::KINDS.into_iter().zip(AsyncIsrStep::STATEMENTS);
            let own = named.filter(|(name, _)| !Step::KINDS.contains(name));
            let own = own.map(|(name, what)| (name, format!("{what} [kip:async-isr]")));
            isr.into_iter().chain(history).chain(own).collect()
        }
        What::Profiles => named(&Profile::ALL.map(|profile| (profile.name(), profile.purpose()))),
    }
}
