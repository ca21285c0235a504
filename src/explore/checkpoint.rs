//! Levels on disk, so that an exploration can be gone on with.
//!
//! A folder holds `exploration.json`, which says what is explored, and a file for each level: by
//! which operation each state was reached, its fingerprint, and how many children each state of the
//! level before has. A level's file is written beside and renamed when it is complete, so after a
//! kill in the middle of a level the folder holds all levels before it.

use crate::explore::levels::{Choice, Level};
use crate::explore::table::Fingerprint;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const MAGIC: &[u8; 8] = b"HWLEVEL1";
const IDENTITY_FILE: &str = "exploration.json";
/// Bytes of a state: its operation, and the two words of its fingerprint.
const RECORD: usize = 2 + 16;
/// Bytes before the states: the magic number, whose level it is, and which.
const HEADER: usize = 3 * 8;
/// Bytes behind the states: how many there are, how many numbers of children, bytes of the notes,
/// and the checksum.
const TRAILER: usize = 4 * 8;

/// Why a checkpoint cannot be used or written: which file, and why.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", .file.display())]
pub struct CheckpointError {
    /// The file or folder.
    pub file: PathBuf,
    /// Why.
    pub reason: String,
}

impl CheckpointError {
    pub(super) fn new(file: impl Into<PathBuf>, reason: impl std::fmt::Display) -> Self {
        Self { file: file.into(), reason: reason.to_string() }
    }
}

type Result<T> = std::result::Result<T, CheckpointError>;

/// What is explored: a checkpoint of anything else is foreign.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Identity {
    pub(super) format: String,
    pub(super) highwater: String,
    pub(super) model: String,
    pub(super) parameters: String,
    pub(super) settings: String,
    pub(super) bounds: String,
    pub(super) invariants: Vec<String>,
    pub(super) second_phase: bool,
    pub(super) keep_going: bool,
    pub(super) symmetry: bool,
    pub(super) fingerprint_bits: u32,
    /// The initial state's fingerprint: another encoding of states is another exploration.
    pub(super) initial: String,
}

/// A folder with levels.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    folder: PathBuf,
    /// Whether to go on with what is there.
    resume: bool,
}

impl Checkpoint {
    /// Writes levels into a folder that holds none yet.
    pub fn write(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), resume: false }
    }

    /// Goes on with the levels of a folder, and writes more of them.
    pub fn resume(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), resume: true }
    }

    /// Where the levels are.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes sure that the folder is for this exploration, and reads the levels that it holds.
    pub(super) fn open(&self, identity: &Identity) -> Result<Vec<StoredLevel>> {
        let file = self.folder.join(IDENTITY_FILE);
        let digest = identity.digest();
        if !self.resume {
            if file.exists() || self.level_file(0).exists() {
                let reason = "there is a checkpoint already; go on with it by --resume, or give another folder";
                return Err(CheckpointError::new(&self.folder, reason));
            }
            let json = serde_json::to_string_pretty(identity).unwrap_or_default();
            crate::files::replace(&file, json.as_bytes()).map_err(|error| {
                CheckpointError::new(&file, format!("cannot be written: {error}"))
            })?;
            return Ok(Vec::new());
        }
        let bytes = std::fs::read(&file)
            .map_err(|error| CheckpointError::new(&file, format!("no checkpoint here: {error}")))?;
        let there: Identity = serde_json::from_slice(&bytes)
            .map_err(|error| CheckpointError::new(&file, format!("damaged: {error}")))?;
        if let Some(difference) = identity.difference(&there) {
            return Err(CheckpointError::new(
                &file,
                format!("of another exploration: {difference}"),
            ));
        }
        let mut levels = Vec::new();
        loop {
            let file = self.level_file(levels.len());
            if !file.exists() {
                return Ok(levels);
            }
            levels.push(StoredLevel::read(&file, levels.len(), digest)?);
        }
    }

    fn level_file(&self, level: usize) -> PathBuf {
        self.folder.join(format!("level-{level:05}"))
    }

    /// Begins to write a level.
    pub(super) fn begin(&self, level: usize, digest: u64) -> Result<LevelWriter> {
        let file = self.level_file(level);
        let beside = file.with_extension("tmp");
        let writer = File::create(&beside).map(BufWriter::new);
        let writer = writer.map_err(|error| {
            CheckpointError::new(&beside, format!("cannot be written: {error}"))
        })?;
        let mut writer =
            LevelWriter { file, beside, writer: Some(writer), hasher: Xxh3::new(), states: 0 };
        writer.put(MAGIC)?;
        writer.put(&digest.to_le_bytes())?;
        writer.put(&(level as u64).to_le_bytes())?;
        Ok(writer)
    }
}

impl Identity {
    /// What levels of this exploration are marked with.
    pub(super) fn digest(&self) -> u64 {
        xxh3_64(&serde_json::to_vec(self).unwrap_or_default())
    }

    /// What differs, and how.
    fn difference(&self, other: &Self) -> Option<String> {
        let (one, two) = (serde_json::to_value(self).ok()?, serde_json::to_value(other).ok()?);
        one.as_object()?.iter().find_map(|(field, value)| {
            let there = &two[field];
            (there != value).then(|| format!("its {field} is {there}, not {value}"))
        })
    }
}

/// A level that is being written.
pub(super) struct LevelWriter {
    file: PathBuf,
    beside: PathBuf,
    /// `None` once the level is complete.
    writer: Option<BufWriter<File>>,
    hasher: Xxh3,
    states: u64,
}

impl LevelWriter {
    /// One more state.
    pub(super) fn state(&mut self, choice: Choice, fingerprint: Fingerprint) -> Result<()> {
        let (high, low) = fingerprint.words();
        let mut record = [0; RECORD];
        record[..2].copy_from_slice(&choice.to_le_bytes());
        record[2..10].copy_from_slice(&high.to_le_bytes());
        record[10..].copy_from_slice(&low.to_le_bytes());
        self.states += 1;
        self.put(&record)
    }

    /// The level is complete: with the numbers of children of the level before, and `notes`.
    pub(super) fn finish(mut self, before: Option<&Level>, notes: &str) -> Result<()> {
        let children = before.map_or(&[][..], Level::all_children);
        for number in children {
            self.put(&number.to_le_bytes())?;
        }
        self.put(notes.as_bytes())?;
        let lengths = [self.states, children.len() as u64, notes.len() as u64];
        for length in lengths {
            self.put(&length.to_le_bytes())?;
        }
        let checksum = self.hasher.digest();
        let finish = |writer: BufWriter<File>| {
            let mut file = writer.into_inner().map_err(std::io::IntoInnerError::into_error)?;
            file.write_all(&checksum.to_le_bytes())?;
            file.sync_all()?;
            std::fs::rename(&self.beside, &self.file)
        };
        let Some(writer) = self.writer.take() else {
            return Ok(());
        };
        finish(writer).map_err(|error| {
            CheckpointError::new(&self.file, format!("cannot be written: {error}"))
        })
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.hasher.update(bytes);
        let written = self.writer.as_mut().map_or(Ok(()), |writer| writer.write_all(bytes));
        written.map_err(|error| {
            CheckpointError::new(&self.beside, format!("cannot be written: {error}"))
        })
    }
}

/// A level that was not completed leaves nothing behind.
impl Drop for LevelWriter {
    fn drop(&mut self) {
        if self.writer.take().is_some() {
            // There is nobody to tell, and what is left does no harm.
            let _ = std::fs::remove_file(&self.beside);
        }
    }
}

/// A level that was read.
#[derive(Debug)]
pub(super) struct StoredLevel {
    pub(super) states: Vec<(Choice, Fingerprint)>,
    /// Of the level before.
    pub(super) children: Vec<u16>,
    pub(super) notes: String,
}

impl StoredLevel {
    fn read(file: &Path, level: usize, digest: u64) -> Result<Self> {
        let bytes = std::fs::read(file)
            .map_err(|error| CheckpointError::new(file, format!("cannot be read: {error}")))?;
        let damaged = || CheckpointError::new(file, "damaged: it is not what was written");
        let stored = Self::parse(&bytes, level).ok_or_else(damaged)?;
        if bytes[8..16] != digest.to_le_bytes() {
            return Err(CheckpointError::new(file, "damaged: a level of another exploration"));
        }
        Ok(stored)
    }

    fn parse(bytes: &[u8], level: usize) -> Option<Self> {
        let (content, checksum) = bytes.split_last_chunk::<8>()?;
        if xxh3_64(content) != u64::from_le_bytes(*checksum) || bytes.len() < HEADER + TRAILER {
            return None;
        }
        let word = |at: usize| {
            bytes.get(at..at + 8)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
        };
        if &bytes[..8] != MAGIC || word(16)? != level as u64 {
            return None;
        }
        let lengths = bytes.len() - TRAILER;
        let states = usize::try_from(word(lengths)?).ok()?;
        let children = usize::try_from(word(lengths + 8)?).ok()?;
        let notes = usize::try_from(word(lengths + 16)?).ok()?;
        let mut rest = &bytes[HEADER..lengths];
        let mut take = |length: usize| {
            let (taken, after) = rest.split_at_checked(length)?;
            rest = after;
            Some(taken)
        };
        let states = take(states.checked_mul(RECORD)?)?;
        let children = take(children.checked_mul(2)?)?;
        let notes = take(notes)?;
        let record = |record: &[u8; RECORD]| {
            let word = |at: usize| record[at..].first_chunk().map(|word| u64::from_le_bytes(*word));
            let fingerprint = Fingerprint::from_words(word(2)?, word(10)?)?;
            Some((u16::from_le_bytes([record[0], record[1]]), fingerprint))
        };
        Some(Self {
            states: states.as_chunks().0.iter().map(record).collect::<Option<_>>()?,
            children: children.as_chunks().0.iter().map(|&pair| u16::from_le_bytes(pair)).collect(),
            notes: String::from_utf8(notes.to_vec()).ok()?,
        })
    }
}
