//! What libFuzzer was told on its command line.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The file in which libFuzzer keeps the bytes that it is about to fail with, or read them from.
pub fn artifact(bytes: &[u8]) -> String {
    let holds_bytes = |file: &PathBuf| {
        file.is_file() && std::fs::read(file).is_ok_and(|content| content == bytes)
    };
    if let Some(file) = places().find(holds_bytes) {
        return file.display().to_string();
    }
    // Of options that are given twice, libFuzzer heeds the last.
    let option = |name: &str| {
        let mut last_first = std::env::args().rev();
        last_first.find_map(|argument| argument.strip_prefix(name).map(str::to_owned))
    };
    option("-exact_artifact_path=").unwrap_or_else(|| {
        let prefix = option("-artifact_prefix=").unwrap_or_default();
        // As libFuzzer names it.
        format!("{prefix}crash-{}", sha1_smol::Sha1::from(bytes).digest())
    })
}

/// An empty corpus starts as a copy of these seeds, so that the plain `cargo fuzz run` starts from
/// them. The corpus is the first folder that libFuzzer was given: it writes into that.
pub fn plant(seeds: &str, extension: Option<&str>) {
    let Some(corpus) = places().find(|place| place.is_dir()) else {
        return;
    };
    let is_empty = std::fs::read_dir(&corpus).is_ok_and(|mut files| files.next().is_none());
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(seeds);
    if !is_empty || !seeds.is_dir() {
        return;
    }
    let Ok(files) = std::fs::read_dir(&seeds) else {
        return;
    };
    let wanted = |file: &PathBuf| {
        extension.is_none_or(|wanted| file.extension() == Some(OsStr::new(wanted)))
    };
    for file in files.flatten().map(|file| file.path()).filter(wanted) {
        if let Some(name) = file.file_name()
            && let Err(error) = std::fs::copy(&file, corpus.join(name))
        {
            eprintln!("{}: cannot be copied into the corpus: {error}", file.display());
        }
    }
}

/// Files and folders on the command line.
fn places() -> impl Iterator<Item = PathBuf> {
    std::env::args_os().skip(1).map(PathBuf::from).filter(|argument| argument.exists())
}
