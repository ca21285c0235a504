//! Inputs in files and folders.

use crate::cli::Failed;
use crate::files::{files_in, name_of, save_beside};
use crate::scenario::fuzz_input::FuzzInput;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// Reads one input.
pub(super) fn read(file: &Path) -> Result<FuzzInput, Failed> {
    let bytes = std::fs::read(file)
        .map_err(|error| Failed(format!("{}: cannot be read: {error}", file.display())))?;
    FuzzInput::decode(&bytes).map_err(|error| {
        Failed(format!("{}: no input of the fuzz target isr_ops: {error}", file.display()))
    })
}

/// The files of a folder that are no hidden ones, by name.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, Failed> {
    let mut files = files_in(folder)
        .map_err(|error| Failed(format!("{}: cannot be read: {error}", folder.display())))?;
    files.retain(|file| !name_of(file).starts_with('.'));
    Ok(files)
}

/// Writes an input into `folder`, under the digest of its bytes.
pub(super) fn save(input: &FuzzInput, folder: &Path) -> Result<PathBuf, Failed> {
    let bytes = input.encode()?;
    let name = format!("{:016x}", xxh3_64(&bytes));
    save_beside(folder, &name, "", &bytes)
        .map_err(|error| Failed(format!("{}: cannot be written: {error}", folder.display())))
}
