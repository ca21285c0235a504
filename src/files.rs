//! Files: listed in one order everywhere, and saved so that nothing is lost, which is to say written
//! beside and renamed, and never over other content.

use std::io::{ErrorKind, Result, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The files of a folder, by name.
///
/// # Errors
/// The folder cannot be read.
pub fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let paths = std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = paths.collect::<Result<Vec<_>>>()?;
    files.retain(|file| file.is_file());
    files.sort();
    Ok(files)
}

/// The name of a file, without its folder.
pub fn name_of(file: &Path) -> std::borrow::Cow<'_, str> {
    file.file_name().unwrap_or_default().to_string_lossy()
}

/// Writes `content` to a file of that name in `folder`, or to `stem-2`, `stem-3` and so on if the
/// name is taken by other content. `extension` has its dot, or is empty.
///
/// # Errors
/// The folder cannot be made or written.
pub fn save_beside(folder: &Path, stem: &str, extension: &str, content: &[u8]) -> Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let mut number = 1_u32;
    loop {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let file = folder.join(format!("{stem}{suffix}{extension}"));
        // Whatever has that name and is no file, a link to nowhere say, stays what it is.
        if file.symlink_metadata().is_ok() && !file.is_file() {
            number += 1;
            continue;
        }
        match std::fs::read(&file) {
            Ok(there) if there == content => return Ok(file),
            Ok(_) => number += 1,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                match beside(folder, content)?.persist_noclobber(&file) {
                    Ok(_) => return Ok(file),
                    // Somebody was faster: look at what is there now.
                    Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {}
                    Err(error) => return Err(error.error),
                }
            }
            Err(error) => return Err(error),
        }
    }
}

/// Writes `content` to `file`, in place of what was there. Whoever looks sees the one or the other.
///
/// # Errors
/// The folder cannot be made or written.
pub fn replace(file: &Path, content: &[u8]) -> Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    beside(folder, content)?.persist(file).map_err(|error| error.error)?;
    Ok(())
}

/// A file with that content beside the one to be written, to be renamed.
fn beside(folder: &Path, content: &[u8]) -> Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".highwater-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o644));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(content)?;
    Ok(file)
}
