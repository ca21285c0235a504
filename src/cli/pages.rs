//! Pages that commands write beside what they print.

use crate::cli::Failed;
use crate::cli::output::print;
use crate::files::replace;
use crate::picture::Picture;
use crate::scenario::{AnyScenario, ScenarioFile};
use std::collections::BTreeSet;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// How every page begins.
const PAGE: &[u8] = b"<!doctype html>";

/// Writes a page to `file`, in place of a page that was there. Anything else is left alone.
pub(super) fn write_page(file: &Path, html: &str) -> Result<(), Failed> {
    let failed = |why: String| Failed(format!("{}: {why}", file.display()));
    match begins_like_a_page(file) {
        Ok(true) => {}
        Ok(false) => return Err(failed("is there and is no page; choose another name".into())),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(failed(format!("cannot be written: {error}"))),
    }
    replace(file, html.as_bytes()).map_err(|error| failed(format!("cannot be written: {error}")))
}

/// Looks no further than it must: what is there may be large, or endless.
fn begins_like_a_page(file: &Path) -> std::io::Result<bool> {
    if !std::fs::metadata(file)?.is_file() {
        return Ok(false);
    }
    let mut beginning = Vec::new();
    std::fs::File::open(file)?.take(PAGE.len() as u64).read_to_end(&mut beginning)?;
    Ok(beginning == PAGE)
}

/// A name for the page of `file` that is none of `names`, to which it is added.
pub(super) fn free_name(names: &mut BTreeSet<String>, file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let numbered = (2..).map(|number| format!("{stem}-{number}.html"));
    let mut candidates = std::iter::once(format!("{stem}.html")).chain(numbered);
    let free = candidates.find(|name| !names.contains(name)).unwrap_or_default();
    names.insert(free.clone());
    free
}

/// Writes the page of a scenario, whose own file is `file`, into `folder`, under the same name, and
/// returns the place.
pub(super) fn page_of(
    folder: &Path,
    file: &str,
    scenario: &impl ScenarioFile,
) -> Result<PathBuf, Failed> {
    let path = Path::new(file);
    let scenario = AnyScenario::parse(path, scenario.to_json().as_bytes())?;
    let picture = Picture { file: file.to_owned(), ..scenario.picture(scenario.applicable()) };
    let stem = path.file_stem().unwrap_or_default();
    let page = folder.join(format!("{}.html", stem.to_string_lossy()));
    write_page(&page, &picture.html())?;
    Ok(page)
}

/// Says where a page is.
pub(super) fn say_page(page: &Path) -> Result<(), Failed> {
    print(&format!("page: {}\n", page.display()))
}
