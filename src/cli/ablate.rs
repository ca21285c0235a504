//! `highwater ablate`: every guard switched off in turn.

use crate::cli::model::{KipOptions, ModelName, parse_model};
use crate::cli::options::{parse_variant, require_writable, thread_pool};
use crate::cli::output::{print, print_json};
use crate::cli::{Exit, Failed, interrupt};
use crate::isr::{Guard, IsrModel, Rules, Variant};
use crate::kip::{AsyncIsrModel, KipModel, Stepwise};
use crate::report::{Finding, Reported};
use crate::scenario::Found;
use crate::scenario::generate::Generator;
use crate::search::{Ablation, Source, Walk, ablate};
use clap::Args;
use comfy_table::{Table, presets};
use highwater_invariants::{InvariantId, Selection};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// How many steps the sequences of a model of atomic steps have.
const WALK: RangeInclusive<u32> = 5..=40;

/// Switch off each guard in turn and show which invariant catches its absence
#[derive(Args, Debug)]
#[command(after_help = "\
Prints a matrix: for each guard and invariant the number of operations of the shortest scenario that
violates the invariant without the guard. Exit code 0 if every guard is caught, 1 if the absence of
one is caught by nothing, 2 if the variant itself is not clean, so that ablation would say nothing.

Examples:
  highwater ablate
  highwater ablate --guard epoch-check,fence-lossy-leader --out findings
  highwater ablate --json
  highwater ablate --model kip:320 --max-leader-epoch 2")]
pub(super) struct Ablate {
    /// The model; see `highwater list models`
    #[arg(long, default_value = "isr", value_parser = parse_model)]
    model: ModelName,

    /// The variant of the model isr whose guards are switched off [default: hardened]
    #[arg(long, value_parser = parse_variant)]
    variant: Option<Variant>,

    /// Only these guards, or rules of a kip model [default: all]; see `highwater list guards`
    #[arg(long = "guard", value_name = "GUARD[,GUARD...]", value_delimiter = ',')]
    guards: Vec<String>,

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

    #[command(flatten)]
    kip: KipOptions,
}

/// A rule that can be switched off.
struct Ablated<S> {
    name: &'static str,
    statement: &'static str,
    /// Draws sequences of the model without it.
    source: S,
}

/// One rule's row.
struct Row<M: Reported> {
    name: &'static str,
    statement: &'static str,
    ablation: Ablation<M>,
    file: Option<PathBuf>,
}

/// A model, and its rules.
struct Subject<M, S> {
    model: M,
    name: String,
    selection: Selection,
    /// Draws sequences of the model as it is.
    source: S,
    rules: Vec<Ablated<S>>,
}

impl Ablate {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        self.model.require_own_options()?;
        match self.model {
            ModelName::Isr => self.ablate(&self.isr()?),
            ModelName::Kip(preset) => {
                self.ablate(&self.steps(KipModel, self.kip.settings(preset, &[])?)?)
            }
            ModelName::AsyncIsr => {
                self.ablate(&self.steps(AsyncIsrModel, self.kip.async_isr(&[])?)?)
            }
        }
    }

    fn isr(&self) -> Result<Subject<IsrModel, Generator>, Failed> {
        let variant = self.variant.unwrap_or(Variant::Hardened);
        let source = |rules| Generator { rules, ..Generator::default() };
        let rule = |guard: Guard| Ablated {
            name: guard.name(),
            statement: guard.statement(),
            source: source(Rules::of(variant).without(guard)),
        };
        let rules = variant.guards().iter().map(rule).collect();
        Ok(Subject {
            model: IsrModel::default(),
            name: variant.to_string(),
            selection: Selection::ALL,
            source: source(Rules::of(variant)),
            rules: self.asked_for(rules, variant.name())?,
        })
    }

    fn steps<M: Stepwise>(
        &self,
        model: M,
        settings: M::Settings,
    ) -> Result<Subject<M, Walk<M>>, Failed> {
        let source = |settings| Walk::new(model, settings, WALK);
        let rules = M::ablations(&settings).into_iter().map(|(name, statement, settings)| {
            Ablated { name, statement, source: source(settings) }
        });
        let name = M::rules_of(&settings);
        Ok(Subject {
            model,
            selection: M::APPLICABLE,
            source: source(settings),
            rules: self.asked_for(rules.collect(), &name)?,
            name,
        })
    }

    /// The rules to be examined.
    fn asked_for<S>(&self, rules: Vec<Ablated<S>>, of: &str) -> Result<Vec<Ablated<S>>, Failed> {
        let is_known = |name: &&String| rules.iter().any(|rule| rule.name == *name);
        if let Some(foreign) = self.guards.iter().find(|name| !is_known(name)) {
            let known: Vec<_> = rules.iter().map(|rule| rule.name).collect();
            return Err(Failed(format!(
                "--guard: {of} has no guard {foreign}; known are {}",
                known.join(", ")
            )));
        }
        let is_asked_for = |rule: &Ablated<S>| {
            self.guards.is_empty() || self.guards.iter().any(|name| name == rule.name)
        };
        Ok(rules.into_iter().filter(is_asked_for).collect())
    }

    fn ablate<M, S>(&self, subject: &Subject<M, S>) -> Result<Exit, Failed>
    where
        M: Reported,
        S: Source<M> + Send,
    {
        require_writable(&self.out)?;
        interrupt::listen()?;
        let pool = thread_pool(self.threads)?;
        let rows = pool.install(|| self.rows(subject))?;
        let missed = rows.iter().filter(|row| row.ablation.shortest.is_empty()).count();
        let examined = rows.len();
        let all = subject.rules.len();
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

    fn rows<M, S>(&self, subject: &Subject<M, S>) -> Result<Vec<Row<M>>, Failed>
    where
        M: Reported,
        S: Source<M> + Send,
    {
        self.require_clean(subject)?;
        let progress = ProgressBar::new(subject.rules.len() as u64);
        let mut rows = Vec::new();
        for Ablated { name, statement, source } in &subject.rules {
            progress.set_message(*name);
            let ablation = self.without(subject, source, self.sequences);
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
            rows.push(Row { name, statement, ablation, file });
            progress.inc(1);
        }
        progress.finish_and_clear();
        Ok(rows)
    }

    /// What is violated anyway says nothing about a guard.
    fn require_clean<M, S>(&self, subject: &Subject<M, S>) -> Result<(), Failed>
    where
        M: Reported,
        S: Source<M> + Send,
    {
        let itself = self.without(subject, &subject.source, 16_384);
        match itself.caught_by() {
            None => Ok(()),
            Some((invariant, _)) => Err(Failed(format!(
                "{} itself violates {}, so switching off its guards says nothing",
                subject.name,
                invariant.name()
            ))),
        }
    }

    fn without<M, S>(&self, subject: &Subject<M, S>, source: &S, sequences: u64) -> Ablation<M>
    where
        M: Reported,
        S: Source<M> + Send,
    {
        let go_on = || !interrupt::is_requested();
        ablate(&subject.model, source, self.seed, sequences, subject.selection, go_on)
    }
}

impl<M: Reported> Row<M> {
    fn json(&self) -> Value {
        let caught = self.ablation.caught_by();
        let violates = self.ablation.shortest.iter().map(|(invariant, shrunk)| {
            (invariant.name().to_owned(), json!(shrunk.case.operations.len()))
        });
        json!({
            "name": self.name,
            "statement": self.statement,
            "caught_by": caught.map(|(invariant, _)| invariant.name()),
            "ops": caught.map(|(_, shrunk)| shrunk.case.operations.len()),
            "file": self.file.as_ref().map(|file| file.display().to_string()),
            "violates": violates.collect::<serde_json::Map<_, _>>(),
            "sequences": self.ablation.sequences,
        })
    }
}

/// The matrix. Columns are numbered, since the names of invariants are long.
fn text<M: Reported>(rows: &[Row<M>]) -> String {
    let is_hit = |invariant: &InvariantId| {
        rows.iter().any(|row| row.ablation.shortest.contains_key(invariant))
    };
    let columns: Vec<_> =
        InvariantId::ALL.into_iter().chain(InvariantId::SPECIFIED).filter(is_hit).collect();
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
        table.add_row([format!("{}{mark}", row.name)].into_iter().chain(cells));
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
