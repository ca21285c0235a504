//! Reading golden runs.

use crate::scenario::{FORMAT, Place, RawConfiguration, RawOperation, ScenarioError};
use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use serde_json::Value;
use std::io::Read;
use std::path::Path;

/// One golden run: a line of a file.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Golden {
    /// The format, `isr-scenario/1`.
    pub format: String,
    /// Unique name of the run.
    pub name: String,
    pub(super) config: RawConfiguration,
    #[serde(default)]
    pub(super) config_error: Option<Value>,
    #[serde(default)]
    pub(super) initial_state: Option<Value>,
    pub(super) ops: Vec<RawOperation>,
    pub(super) steps: Vec<Step>,
    pub(super) trace: Vec<Value>,
}

/// What an operation answered, and the state after it.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    pub(super) outcome: Value,
    pub(super) state: Value,
}

impl Golden {
    /// Parses line `number` of `file`.
    pub(super) fn parse(file: &Path, number: usize, line: &str) -> Result<Self, ScenarioError> {
        let mut json = serde_json::Deserializer::from_str(line);
        let golden: Self = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let mut error = ScenarioError::json(file, error);
            error.place.line_and_column.0 = number;
            error
        })?;
        let error =
            |path: &str, reason: String| Err(golden.error(file, number, Place::at(path), &reason));
        if golden.format != FORMAT {
            return error(
                "format",
                format!("unknown format {:?}; known is {FORMAT:?}", golden.format),
            );
        }
        if golden.config_error.is_none() && golden.steps.len() != golden.ops.len() {
            let (steps, ops) = (golden.steps.len(), golden.ops.len());
            return error("steps", format!("{steps} steps for {ops} operations"));
        }
        if golden.config_error.is_none() && golden.initial_state.is_none() {
            return error("initial_state", "missing".into());
        }
        Ok(golden)
    }

    pub(super) fn error(
        &self,
        file: &Path,
        number: usize,
        mut place: Place,
        reason: &str,
    ) -> ScenarioError {
        place.line_and_column = (number, 1);
        ScenarioError::new(file, place, format!("run {:?}: {reason}", self.name))
    }
}

/// The text of a file of golden runs.
#[derive(Debug)]
pub struct GoldenFile(String);

impl GoldenFile {
    /// Reads a file, plain or gzip (told by its first bytes).
    ///
    /// # Errors
    /// A file that cannot be read, is corrupt gzip, is not UTF-8, or holds no line.
    pub fn read(file: &Path) -> Result<Self, ScenarioError> {
        let bytes = std::fs::read(file).map_err(|error| ScenarioError::unreadable(file, &error))?;
        let bytes = if bytes.starts_with(&[0x1f, 0x8b]) { unzip(file, &bytes)? } else { bytes };
        let text = String::from_utf8(bytes).map_err(|error| {
            let index = error.utf8_error().valid_up_to();
            ScenarioError::new(file, Place::of_byte(error.as_bytes(), index), "not UTF-8")
        })?;
        if text.trim().is_empty() {
            return Err(ScenarioError::new(file, Place::default(), "the file is empty"));
        }
        Ok(Self(text))
    }

    /// The lines that are not blank, numbered from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.0.lines()).filter(|(_, line)| !line.trim().is_empty())
    }
}

fn unzip(file: &Path, bytes: &[u8]) -> Result<Vec<u8>, ScenarioError> {
    let mut plain = Vec::new();
    MultiGzDecoder::new(bytes).read_to_end(&mut plain).map_err(|error| {
        let reason =
            format!("corrupt or truncated gzip after {} plain bytes: {error}", plain.len());
        ScenarioError::new(file, Place::default(), reason)
    })?;
    Ok(plain)
}
