//! `highwater ablate`: every guard switched off in turn.

use crate::cli::options::{parse_guard, parse_variant, require_writable, thread_pool};
use crate::cli::output::{print, print_json};
use crate::cli::{Exit, Failed, interrupt};
use crate::isr::{Guard, IsrModel, Rules, Variant};
use crate::report::Finding;
use crate::scenario::Found;
use crate::scenario::generate::Generator;
use crate::search::{Ablation, ablate};
use clap::Args;
use comfy_table::{Table, presets};
use highwater_invariants::InvariantId;
use indicatif::ProgressBar;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Switch off each guard in turn and show which invariant catches its absence
#[derive(Args, Debug)]
#[command(after_help = "\
Prints a matrix: for each guard and invariant the number of operations of the shortest scenario that
violates the invariant without the guard. Exit code 0 if every guard is caught, 1 if the absence of
one is caught by nothing, 2 if the variant itself is not clean, so that ablation would say nothing.

Examples:
  highwater ablate
  highwater ablate --guard epoch-check,fence-lossy-leader --out findings
  highwater ablate --json")]
pub(super) struct Ablate {
    /// The variant whose guards are switched off
    #[arg(long, default_value = "hardened", value_parser = parse_variant)]
    variant: Variant,

    /// Only these guards [default: all of the variant]; see `highwater list guards`
    #[arg(long = "guard", value_name = "GUARD[,GUARD...]", value_delimiter = ',', value_parser = parse_guard)]
    guards: Vec<Guard>,

    /// The seed of all sequences
    #[arg(long, default_value = "0", value_name = "S")]
    seed: u64,

    /// How many sequences at most for each guard
    #[arg(long, default_value = "1000000", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    sequences: u64,

    /// How many threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Where the shortest scenario of each guard is written
    #[arg(long, default_value = "findings", value_name = "DIR")]
    out: PathBuf,

    /// Print JSON: `{guards: [{name, statement, caught_by, ops, file, violates, sequences}], interrupted}`
    #[arg(long)]
    json: bool,
}

/// One guard's row.
struct Row {
    guard: Guard,
    ablation: Ablation<IsrModel>,
    file: Option<PathBuf>,
}

impl Ablate {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        require_writable(&self.out)?;
        interrupt::listen()?;
        let pool = thread_pool(self.threads)?;
        let rows = pool.install(|| self.rows())?;
        let missed = rows.iter().filter(|row| row.ablation.shortest.is_empty()).count();
        let examined = rows.len();
        let all = self.guards().len();
        if self.json {
            let guards: Vec<_> = rows.iter().map(Row::json).collect();
            print_json(&json!({ "guards": guards, "interrupted": examined < all }))?;
        } else {
            print(&text(&rows))?;
            if examined < all {
                print(&format!("interrupted: {examined} of {all} guards examined\n"))?;
            }
        }
        Ok(match missed {
            _ if examined < all => Exit::Interrupted,
            0 => Exit::Clean,
            _ => Exit::Violated,
        })
    }

    /// The guards to be examined.
    fn guards(&self) -> Vec<Guard> {
        let asked_for = |guard: &Guard| self.guards.is_empty() || self.guards.contains(guard);
        self.variant.guards().iter().filter(asked_for).collect()
    }

    fn rows(&self) -> Result<Vec<Row>, Failed> {
        let guards = self.variant.guards();
        if let Some(foreign) = self.guards.iter().find(|&&guard| !guards.has(guard)) {
            return Err(Failed(format!("--guard: {} has no guard {foreign}", self.variant)));
        }
        self.require_clean()?;
        let guards = self.guards();
        let progress = ProgressBar::new(guards.len() as u64);
        let mut rows = Vec::new();
        for guard in guards {
            progress.set_message(guard.name());
            let ablation = self.without(Rules::of(self.variant).without(guard), self.sequences);
            let file = match ablation.caught_by() {
                None => None,
                Some((_, shrunk)) => {
                    let sequence = shrunk.candidate.sequence;
                    let found = Found { seed: self.seed, sequence };
                    let file = Finding::new(&shrunk.case, Some(found)).save(&self.out);
                    Some(file.map_err(|error| Failed(format!("{}: {error}", self.out.display())))?)
                }
            };
            if ablation.is_interrupted {
                break;
            }
            rows.push(Row { guard, ablation, file });
            progress.inc(1);
        }
        progress.finish_and_clear();
        Ok(rows)
    }

    /// What is violated anyway says nothing about a guard.
    fn require_clean(&self) -> Result<(), Failed> {
        let itself = self.without(Rules::of(self.variant), 16_384);
        match itself.caught_by() {
            None => Ok(()),
            Some((invariant, _)) => Err(Failed(format!(
                "{} itself violates {}, so switching off its guards says nothing",
                self.variant,
                invariant.name()
            ))),
        }
    }

    fn without(&self, rules: Rules, sequences: u64) -> Ablation<IsrModel> {
        let source = Generator { rules, ..Generator::default() };
        let go_on = || !interrupt::is_requested();
        ablate(&IsrModel::default(), &source, self.seed, sequences, go_on)
    }
}

impl Row {
    fn json(&self) -> Value {
        let caught = self.ablation.caught_by();
        let violates = self.ablation.shortest.iter().map(|(invariant, shrunk)| {
            (invariant.name().to_owned(), json!(shrunk.case.operations.len()))
        });
        json!({
            "name": self.guard.name(),
            "statement": self.guard.statement(),
            "caught_by": caught.map(|(invariant, _)| invariant.name()),
            "ops": caught.map(|(_, shrunk)| shrunk.case.operations.len()),
            "file": self.file.as_ref().map(|file| file.display().to_string()),
            "violates": violates.collect::<serde_json::Map<_, _>>(),
            "sequences": self.ablation.sequences,
        })
    }
}

/// The matrix. Columns are numbered, since the names of invariants are long.
fn text(rows: &[Row]) -> String {
    let is_hit = |invariant: &InvariantId| {
        rows.iter().any(|row| row.ablation.shortest.contains_key(invariant))
    };
    let columns: Vec<_> = InvariantId::ALL.into_iter().filter(is_hit).collect();
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    let numbers = (1..=columns.len()).map(|number| number.to_string());
    table.set_header(["without".to_owned()].into_iter().chain(numbers));
    for row in rows {
        let cells = columns.iter().map(|invariant| {
            let shrunk = row.ablation.shortest.get(invariant);
            shrunk.map_or("·".to_owned(), |shrunk| shrunk.case.operations.len().to_string())
        });
        let mark = if row.ablation.shortest.is_empty() { " NOT CAUGHT" } else { "" };
        table.add_row([format!("{}{mark}", row.guard)].into_iter().chain(cells));
    }
    let legend = columns
        .iter()
        .zip(1..)
        .map(|(invariant, number)| format!("  {number:>2}  {}\n", invariant.name()));
    let caught = rows.iter().filter(|row| !row.ablation.shortest.is_empty()).count();
    format!(
        "{table}\noperations of the shortest scenario found that violates\n{}\n{caught} of {} guards caught\n",
        legend.collect::<String>(),
        rows.len()
    )
}
