//! `highwater ladder`: Kafka's own history, and what mended what.

use crate::cli::options::thread_pool;
use crate::cli::output::{print, print_json};
use crate::cli::{Exit, Failed, interrupt};
use crate::kip::{Preset, Rung, SIZES, Size, Tried, ladder};
use clap::Args;
use comfy_table::{Table, presets};
use serde_json::{Value, json};

/// Show how Kafka's replication was broken and repaired, one specification after the other
#[derive(Args, Debug)]
#[command(after_help = "\
Explores the published specifications from truncating to the high watermark to KIP-320, each at ever
larger sizes until an invariant breaks, and then the next specification at that very size. A size is
replicas, records, last leader epoch.

Examples:
  highwater ladder
  highwater explore --model kip:279 --max-leader-epoch 1 --log-size 1 --max-records 1")]
pub(super) struct Ladder {
    /// How many threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Ladder {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        interrupt::listen()?;
        let pool = thread_pool(self.threads)?;
        let Some(rungs) = pool.install(|| ladder(|| !interrupt::is_requested())) else {
            return Ok(Exit::Interrupted);
        };
        if self.json {
            print_json(&json!({ "rungs": rungs.iter().map(in_json).collect::<Vec<_>>() }))?;
        } else {
            print(&text(&rungs))?;
        }
        Ok(Exit::Clean)
    }
}

fn text(rungs: &[Rung]) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header([
        "specification",
        "invariant",
        "breaks at",
        "in steps",
        "the next one, there",
    ]);
    for rung in rungs {
        let (at, steps) = match rung.breaks {
            Some((size, steps)) => (size_in_words(size), steps.to_string()),
            None => ("none of these sizes".into(), "-".into()),
        };
        let next = match rung.next {
            Some((next, Tried::Holds(states))) => format!("{next} holds ({states} states)"),
            Some((next, Tried::Breaks(steps))) => format!("{next} breaks too, in {steps} steps"),
            Some((_, Tried::Unknown)) | None => String::new(),
        };
        let preset = rung.preset.to_string();
        table.add_row([preset, rung.invariant.name().into(), at, steps, next]);
    }
    let sizes = SIZES.map(size_in_words).join(", ");
    let statements =
        Preset::ALL.map(|one| format!("  {:<18} {}\n", one.to_string(), one.statement()));
    format!(
        "{table}\nsizes tried, as replicas/records/last epoch: {sizes}\n\nwhat each one changed:\n{}",
        statements.concat()
    )
}

fn size_in_words(size: Size) -> String {
    format!("{}/{}/{}", size.replicas, size.records, size.max_leader_epoch)
}

fn in_json(rung: &Rung) -> Value {
    let next = rung.next.map(|(next, tried)| {
        json!({
            "specification": next.to_string(),
            "holds": matches!(tried, Tried::Holds(_)),
            "steps": if let Tried::Breaks(steps) = tried { Some(steps) } else { None },
        })
    });
    json!({
        "specification": rung.preset.to_string(),
        "invariant": rung.invariant.name(),
        "size": rung.breaks.map(|(size, _)| {
            json!({
                "replicas": size.replicas,
                "records": size.records,
                "max_leader_epoch": size.max_leader_epoch,
            })
        }),
        "steps": rung.breaks.map(|(_, steps)| steps),
        "next": next,
    })
}
