//! Pages that commands write beside what they print.

use crate::cli::Failed;
use crate::cli::output::print;
use crate::files::replace;
use crate::picture::Picture;
use crate::scenario::{AnyScenario, ScenarioFile};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// How every page begins.
const PAGE: &[u8] = b"<!doctype html>";

/// Writes a page to `file`, in place of a page that was there. Anything else is left alone.
pub(super) fn write_page(file: &Path, html: &str) -> Result<(), Failed> {
    let failed = |why: String| Failed(format!("{}: {why}", file.display()));
    match std::fs::read(file) {
        Ok(there) if there.starts_with(PAGE) => {}
        Ok(_) => return Err(failed("is there and is no page; choose another name".into())),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(failed(format!("cannot be written: {error}"))),
    }
    replace(file, html.as_bytes()).map_err(|error| failed(format!("cannot be written: {error}")))
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
