//! `highwater nightly`: everything that looks for violations.

use crate::cli::options::{parse_guard, parse_variant, require_writable, rules_of, thread_pool};
use crate::cli::output::{print, print_json};
use crate::cli::pages::write_page;
use crate::cli::{Exit, Failed, interrupt, parse};
use crate::files::replace;
use crate::isr::{Guard, Variant};
use crate::nightly::{FuzzPlan, Plan, run};
use crate::picture::{Index, Picture};
use crate::report::NightlyResult;
use crate::scenario::AnyScenario;
use clap::Args;
use indicatif::ProgressBar;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Run everything that looks for violations, for as long as it is given, and summarize it
#[derive(Args, Debug)]
#[command(after_help = "\
Replays the corpus, switches off each guard in turn, searches with every profile (half the time
of --for, a fifth of that each), and runs the fuzz targets (the other half; building them comes on
top). In DIR it leaves summary.md, summary.json (highwater-nightly/1), index.html, findings/ with a
shrunk scenario and a page for each signature, the logs of the fuzz targets, and what libFuzzer kept
in artifacts/.

Exit code 0 if all of it is clean, 1 if there are findings, 2 for bad input, 3 if something that
should have run did not (no cargo-fuzz, say, without --no-fuzz), 130 if Ctrl-C came before anything
was found.

Examples:
  highwater nightly --out out --for 60s
  highwater nightly --out out --for 40m --shard 2/4 --seed 20260101
  highwater nightly --out out --for 60s --no-fuzz --variant published")]
pub(super) struct Nightly {
    /// Where everything is left
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// How long searches and fuzz targets run, as in 90s, 10m, 2h
    #[arg(long = "for", value_name = "DURATION", value_parser = humantime::parse_duration)]
    duration: Duration,

    /// The seed of all sequences [default: a fresh one, which is printed]
    #[arg(long, default_value = "random", hide_default_value = true, value_name = "S", value_parser = parse::seed)]
    seed: u64,

    /// Run only the i-th of n parts; all must be given the same --seed
    #[arg(long, value_name = "I/N", value_parser = parse::shard, requires = "seed")]
    shard: Option<(u64, u64)>,

    /// The rules that are searched; see `highwater list variants`
    #[arg(long, default_value = "hardened", value_parser = parse_variant)]
    variant: Variant,

    /// Switch off these guards of the variant; see `highwater list guards`
    #[arg(long, value_name = "GUARD[,GUARD...]", value_delimiter = ',', value_parser = parse_guard)]
    without: Vec<Guard>,

    /// How many threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// The folder with `regressions/` and `isr_ops/`
    #[arg(long, default_value = "corpus", value_name = "DIR")]
    corpus: PathBuf,

    /// The fuzz crate; its corpora are in its folder `corpus/`
    #[arg(long, default_value = "fuzz", value_name = "DIR")]
    fuzz_dir: PathBuf,

    /// Leave the fuzz targets out
    #[arg(long)]
    no_fuzz: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Nightly {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        require_writable(&self.out)?;
        let pool = thread_pool(self.threads)?;
        interrupt::listen()?;
        let fuzz =
            FuzzPlan { project: self.fuzz_dir.clone(), corpora: self.fuzz_dir.join("corpus") };
        let plan = Plan {
            rules: rules_of(self.variant, &self.without)?,
            seed: self.seed,
            duration: self.duration,
            shard: self.shard.unwrap_or((1, 1)),
            out: self.out.clone(),
            corpus: self.corpus.clone(),
            fuzz: (!self.no_fuzz).then_some(fuzz),
        };
        let progress = ProgressBar::new_spinner();
        progress.enable_steady_tick(Duration::from_millis(200));
        let result = pool.install(|| {
            let on_stage = |stage: &str| progress.set_message(stage.to_owned());
            run(&plan, || !interrupt::is_requested(), on_stage)
        });
        progress.finish_and_clear();
        let mut result = result?;
        self.write_pages(&mut result)?;
        self.write("summary.md", &result.markdown())?;
        self.write("summary.json", &format!("{:#}\n", json!(result)))?;
        if self.json {
            print_json(&json!(result))?;
        } else {
            print(&result.markdown())?;
        }
        Ok(exit_of(&result))
    }

    /// A page for each finding that is a scenario, and an index of them.
    fn write_pages(&self, result: &mut NightlyResult) -> Result<(), Failed> {
        let mut pictures = Vec::new();
        for finding in &mut result.findings {
            let (Some(file), Some(scenario)) = (&finding.file, &finding.scenario) else { continue };
            let path = Path::new(file);
            let scenario = AnyScenario::parse(path, scenario.to_string().as_bytes())?;
            let picture = Picture { file: file.clone(), ..scenario.picture(scenario.applicable()) };
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let page = format!("findings/{stem}.html");
            write_page(&self.out.join(&page), &picture.html())?;
            finding.page = Some(page.clone());
            pictures.push((picture, Some(page)));
        }
        let pictures = pictures.iter().map(|(picture, page)| (picture, page.clone()));
        let index = Index::of("Highwater nightly", pictures);
        write_page(&self.out.join("index.html"), &index.html())
    }

    fn write(&self, name: &str, content: &str) -> Result<(), Failed> {
        let file = self.out.join(name);
        let written = replace(&file, content.as_bytes());
        written.map_err(|error| Failed(format!("{}: cannot be written: {error}", file.display())))
    }
}

/// What a nightly run's verdict amounts to.
pub(super) fn exit_of(result: &NightlyResult) -> Exit {
    match result.verdict.as_str() {
        "violated" => Exit::Violated,
        "interrupted" => Exit::Interrupted,
        "clean" => Exit::Clean,
        _ => Exit::NotCovered,
    }
}
