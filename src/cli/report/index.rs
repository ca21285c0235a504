//! `highwater report FILE...`: an index page over many scenarios, and a page for each.

use crate::cli::options::require_writable;
use crate::cli::output::{print, print_json};
use crate::cli::pages::{free_name, write_page};
use crate::cli::{Exit, Failed};
use crate::picture::{Index, Picture};
use crate::scenario::AnyScenario;
use clap::Args;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What to make pages of, and where.
#[derive(Args, Debug)]
pub(super) struct IndexOptions {
    /// Scenario files
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Where index.html and a page for each scenario are written
    #[arg(long, default_value = "report", value_name = "DIR")]
    out: PathBuf,

    /// Print JSON: the index as data
    #[arg(long)]
    json: bool,
}

impl IndexOptions {
    pub(super) fn run(&self) -> Result<Exit, Failed> {
        if self.files.is_empty() {
            return Err(Failed("report: no FILE is given; see highwater report --help".into()));
        }
        let read = |file: &PathBuf| AnyScenario::read(file);
        let scenarios = self.files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        require_writable(&self.out)?;
        let mut names = BTreeSet::from(["index.html".to_owned()]);
        let mut pictures = Vec::new();
        for (file, scenario) in self.files.iter().zip(&scenarios) {
            let picture = Picture {
                file: file.display().to_string(),
                ..scenario.picture(scenario.applicable())
            };
            let page = free_name(&mut names, file);
            write_page(&self.out.join(&page), &picture.html())?;
            pictures.push((picture, Some(page)));
        }
        let title = match pictures.len() {
            1 => "1 scenario".to_owned(),
            number => format!("{number} scenarios"),
        };
        let index =
            Index::of(&title, pictures.iter().map(|(picture, page)| (picture, page.clone())));
        let file = self.out.join("index.html");
        write_page(&file, &index.html())?;
        if self.json {
            print_json(&json!(index))?;
        } else {
            print(&format!("{title}: {}\n", file.display()))?;
        }
        Ok(Exit::Clean)
    }
}
