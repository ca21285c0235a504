//! `highwater report FILE...`: an index page over many scenarios, and a page for each.

use crate::cli::options::require_writable;
use crate::cli::output::{print, print_json};
use crate::cli::pages::write_page;
use crate::cli::{Exit, Failed};
use crate::picture::{Index, Picture};
use crate::scenario::AnyScenario;
use clap::Args;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

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
        let title = format!("{} scenarios", pictures.len());
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

/// A name for the page of `file` that no other page of this report has.
fn free_name(names: &mut BTreeSet<String>, file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let numbered = (2..).map(|number| format!("{stem}-{number}.html"));
    let mut candidates = std::iter::once(format!("{stem}.html")).chain(numbered);
    let free = candidates.find(|name| !names.contains(name)).unwrap_or_default();
    names.insert(free.clone());
    free
}
