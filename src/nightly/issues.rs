//! One issue on GitHub per new signature, by the GitHub command line.

use crate::report::{NightlyFinding, NightlyResult};
use std::io::Write;
use std::process::{Command, Stdio};

/// The label that issues of nightly runs carry.
const LABEL: &str = "highwater-nightly";

/// Opens an issue for each finding whose signature no open issue names in its title. Gives back the
/// signatures for which one was opened.
///
/// # Errors
/// `gh` cannot be run, or fails: what it was asked, and what it said.
pub fn open_issues(result: &NightlyResult) -> Result<Vec<String>, String> {
    if result.findings.is_empty() {
        return Ok(Vec::new());
    }
    let label = ["label", "create", LABEL, "--force", "--description", "Found by a nightly run"];
    gh(&label, "")?;
    let list = ["issue", "list", "--state", "open", "--label", LABEL, "--limit", "1000"];
    let titles = gh(&[&list[..], &["--json", "title", "--jq", ".[].title"]].concat(), "")?;
    let is_known = |finding: &&NightlyFinding| titles.lines().any(|known| known == title(finding));
    let mut opened = Vec::new();
    for finding in result.findings.iter().filter(|finding| !is_known(finding)) {
        let body = format!(
            "{}\nVariant `{}`, seed {}.\n",
            finding.markdown_with_scenario(),
            result.variant,
            result.seed
        );
        let create = ["issue", "create", "--label", LABEL, "--title", &title(finding)];
        gh(&[&create[..], &["--body-file", "-"]].concat(), &body)?;
        opened.push(finding.signature.clone());
    }
    Ok(opened)
}

fn title(finding: &NightlyFinding) -> String {
    format!("Nightly: {}", finding.signature)
}

/// Runs `gh`, and gives back what it printed.
fn gh(arguments: &[&str], input: &str) -> Result<String, String> {
    let asked = || format!("gh {}", arguments.join(" "));
    let failed = |error: std::io::Error| format!("{}: {error}", asked());
    let mut child = Command::new("gh")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take()
        && let Err(error) = stdin.write_all(input.as_bytes())
        // One that asks for no input may be gone already.
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        return Err(failed(error));
    }
    let output = child.wait_with_output().map_err(failed)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{} ends with {}: {}", asked(), output.status, said.trim()))
}
