//! The nightly run: what it finds, what it leaves behind, and what it says when something is
//! missing. `cargo fuzz` and `gh` are scripts here that do as the real ones would.

#![cfg(unix)]

use assert_cmd::Command;
use highwater::report::NightlyResult;
use highwater::scenario::fuzz_input::FuzzInput;
use highwater::scenario::{Expectation, Scenario};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// A folder with a corpus and a fuzz crate, and scripts for `cargo` and `gh`.
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        for folder in ["bin", "corpus/regressions", "corpus/isr_ops", "fuzz"] {
            std::fs::create_dir_all(place.path(folder)).unwrap();
        }
        std::fs::write(place.path("fuzz/Cargo.toml"), "").unwrap();
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
        for (folder, number) in [("regressions", 100), ("isr_ops", 5)] {
            let files = std::fs::read_dir(corpus.join(folder)).unwrap();
            for file in files.map(|file| file.unwrap()).take(number) {
                let to = place.path("corpus").join(folder).join(file.file_name());
                std::fs::copy(file.path(), to).unwrap();
            }
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn script(&self, name: &str, content: &str) {
        let file = self.path("bin").join(name);
        std::fs::write(&file, format!("#!/bin/sh\n{content}\n")).unwrap();
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn highwater(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("highwater").unwrap();
        let path = format!("{}:/usr/bin:/bin", self.path("bin").display());
        command.current_dir(self.folder.path()).env("PATH", path).args(arguments);
        command
    }

    fn nightly(&self, arguments: &[&str]) -> Command {
        let mut command = self.highwater(&["nightly", "--out", "out", "--for", "2s"]);
        command.args(["--seed", "1"]).args(arguments);
        command
    }

    fn result(&self) -> NightlyResult {
        let json = std::fs::read(self.path("out/summary.json")).unwrap();
        serde_json::from_slice(&json).unwrap()
    }
}

/// An input that violates something in `published`.
fn violating() -> Vec<u8> {
    let file = "corpus/regressions/published-acked-durability-acked-not-in-history.json";
    let Scenario { settings, operations, .. } =
        Scenario::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    FuzzInput { settings, operations }.encode().unwrap()
}

/// As libFuzzer ends when it has found nothing.
const NOTHING_FOUND: &str = "echo '#2 DONE cov: 77 ft: 99 corp: 3/9b' >&2\n\
                             echo 'stat::number_of_executed_units: 1234' >&2";

#[test]
fn a_clean_night_says_what_ran_and_how_much() {
    let place = Place::new();
    place.script("cargo", NOTHING_FOUND);
    let out = place.nightly(&[]).assert().code(0).stderr("");
    let markdown = String::from_utf8(out.get_output().stdout.clone()).unwrap();
    assert_eq!(markdown, std::fs::read_to_string(place.path("out/summary.md")).unwrap());
    for part in [
        "# Highwater nightly: clean",
        "Variant `hardened`, seed 1, shard 1/1.",
        "replayed 55 scenarios",
        "ran 5 inputs",
        "23 of 23 guards caught",
        "| search power-loss | ran | ",
        "| fuzz isr_ops | ran | 1234 executions",
        "77 edges covered, nothing found",
        "No findings.",
        "branches of the protocol reached",
    ] {
        assert!(markdown.contains(part), "{part} is not in\n{markdown}");
    }
    let result = place.result();
    assert_eq!(result.verdict, "clean");
    assert!(result.findings.is_empty() && result.not_covered().is_empty());
}

#[test]
fn violations_are_shrunk_written_once_for_each_kind_and_named_with_their_operations() {
    let place = Place::new();
    place
        .nightly(&["--variant", "published", "--no-fuzz"])
        .assert()
        .code(1)
        .stdout(contains("# Highwater nightly: violated").and(contains("| fuzz | left out |")));
    let result = place.result();
    assert!(result.findings.len() > 5, "{}", result.findings.len());
    for finding in &result.findings {
        let invariant = finding.invariant.as_ref().unwrap();
        assert!(finding.signature.starts_with(invariant), "{}", finding.signature);
        let file = place.path(finding.file.as_ref().unwrap());
        let scenario = Scenario::read(&file).unwrap();
        assert_eq!(scenario.operations.len(), finding.operations.len());
        assert!(matches!(scenario.expectation, Some(Expectation::Violated { .. })));
        assert!(finding.explanation.contains(&format!("VIOLATED {invariant}")));
        let command = finding.command.as_ref().unwrap();
        let arguments: Vec<_> = command.split(' ').skip(1).collect();
        place.highwater(&arguments).assert().code(0).stdout(contains("as expected"));
    }
    let mut signatures: Vec<_> = result.findings.iter().map(|one| &one.signature).collect();
    signatures.dedup();
    assert_eq!(signatures.len(), result.findings.len());
}

#[test]
fn what_the_fuzzer_keeps_becomes_a_shrunk_scenario_or_is_named_as_it_is() {
    let place = Place::new();
    std::fs::write(place.path("violating"), violating()).unwrap();
    // Finds operations that violate something, and bytes on which another target panics.
    place.script(
        "cargo",
        r#"for argument in "$@"; do case "$argument" in
             -artifact_prefix=*isr_ops/) cp violating "${argument#*=}crash-1"; crashed=1;;
             -artifact_prefix=*differential/) echo bytes > "${argument#*=}crash-2"; crashed=1;;
           esac; done
           if [ -n "$crashed" ]; then
             echo "thread panicked at x.rs: they differ" >&2
             echo "Test unit written to it" >&2; exit 77
           fi
           echo 'stat::number_of_executed_units: 5' >&2"#,
    );
    place.nightly(&["--variant", "published"]).assert().code(1);
    let result = place.result();
    let stage = |name: &str| result.stages.iter().find(|stage| stage.name == name).unwrap();
    assert!(stage("fuzz isr_ops").did.contains("1 artifacts"));
    let other = result.findings.iter().find(|one| one.stage == "fuzz differential").unwrap();
    assert_eq!(other.signature, "fuzz-differential-crash-2");
    assert!(other.explanation.contains("they differ"));
    assert_eq!(std::fs::read(other.file.as_ref().unwrap()).unwrap(), b"bytes\n");
    let durability = "acked-durability-acked-not-in-history";
    assert!(result.findings.iter().any(|one| one.signature == durability && one.count > 0));
}

#[test]
fn what_should_have_run_and_did_not_is_said_and_is_no_clean_night() {
    let place = Place::new();
    place.script("cargo", "echo 'error: no such command: `fuzz`' >&2; exit 101");
    place.nightly(&["--variant", "hardened"]).assert().code(3).stdout(
        contains("# Highwater nightly: incomplete")
            .and(contains("| fuzz build | **NOT RUN** |"))
            .and(contains("no such command: `fuzz`"))
            .and(contains("cargo install cargo-fuzz"))
            .and(contains("| fuzz scenario_file | **NOT RUN** |")),
    );
    place.script(
        "cargo",
        "case \"$*\" in *build*) ;; *) echo 'ERROR: out of luck' >&2; exit 3;; esac",
    );
    place
        .nightly(&["--variant", "hardened"])
        .assert()
        .code(3)
        .stdout(contains("ended with exit status: 3: ERROR: out of luck"));
}

#[test]
fn a_regression_that_no_longer_shows_what_it_expects_is_a_finding() {
    let place = Place::new();
    let file = place.path("corpus/regressions/published-recovery-replica-stays-out.json");
    let content = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, content.replace("\"published\"", "\"hardened\"")).unwrap();
    place
        .nightly(&["--variant", "hardened", "--no-fuzz"])
        .assert()
        .code(1)
        .stdout(contains("### regression-published-recovery-replica-stays-out"));
}

#[test]
fn bad_input_is_refused_before_anything_runs() {
    let place = Place::new();
    let refused = |arguments: &[&str], reason: &str| {
        place.highwater(arguments).assert().code(2).stderr(contains(reason));
    };
    refused(&["nightly", "--out", "out"], "--for");
    refused(&["nightly", "--out", "out", "--for", "1s", "--shard", "1/2"], "--seed");
    refused(
        &["nightly", "--out", "fuzz/Cargo.toml", "--for", "1s"],
        "cannot write into this folder",
    );
    refused(&["nightly", "--out", "out", "--for", "1s", "--corpus", "no"], "no/regressions");
    std::fs::write(place.path("corpus/isr_ops/0"), [9; 40]).unwrap();
    refused(&["nightly", "--out", "out", "--for", "1s"], "its version is 9");
    std::fs::write(place.path("summary.json"), "{}").unwrap();
    refused(&["report", "nightly", "summary.json"], "summary.json: line 1, column 2");
}

#[test]
fn shards_do_different_sequences_and_are_put_together() {
    let place = Place::new();
    for shard in ["1/2", "2/2"] {
        let out = format!("out-{}", &shard[..1]);
        let arguments = ["nightly", "--out", &out, "--for", "300ms", "--seed", "5", "--no-fuzz"];
        place
            .highwater(&arguments)
            .args(["--variant", "published", "--shard", shard])
            .assert()
            .code(1);
    }
    let result = |shard: u32| -> NightlyResult {
        let file = place.path(&format!("out-{shard}/summary.json"));
        serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
    };
    let found = |finding: &highwater::report::NightlyFinding| {
        finding.scenario.as_ref().unwrap()["found"]["sequence"].as_u64()
    };
    assert!(result(1).findings.iter().filter_map(found).all(|sequence| sequence < u64::MAX / 2));
    assert!(result(2).findings.iter().filter_map(found).all(|sequence| sequence >= u64::MAX / 2));
    let files = ["out-1/summary.json", "out-2/summary.json"];
    place
        .highwater(&["report", "nightly"])
        .args(files)
        .assert()
        .code(1)
        .stdout(contains("shard 1/2, 2/2."));
    place
        .highwater(&["report", "nightly", files[0], files[0]])
        .assert()
        .code(2)
        .stderr(contains("shard 1 is there twice"));
}

#[test]
fn shards_that_are_missing_and_corpora_that_are_empty_are_no_clean_night() {
    let place = Place::new();
    place.nightly(&["--no-fuzz", "--shard", "2/4"]).assert().code(0);
    place.highwater(&["report", "nightly", "out/summary.json"]).assert().code(3).stdout(
        contains("# Highwater nightly: incomplete")
            .and(contains("| shard 1/4 | **NOT RUN** | its summary is missing |")),
    );
    let json = std::fs::read_to_string(place.path("out/summary.json")).unwrap();
    for (from, to, field) in [
        ("\"shards\"", "\"shards\": [[9, 4]], \"was\"", "was"),
        ("      2,\n      4\n", "      9,\n      4\n", "at shards"),
    ] {
        let file = place.path("out/nonsense.json");
        std::fs::write(&file, json.replacen(from, to, 1)).unwrap();
        let report = ["report", "nightly", "out/nonsense.json"];
        place.highwater(&report).assert().code(2).stderr(contains(field));
    }
    for folder in ["corpus/regressions", "corpus/isr_ops"] {
        std::fs::remove_dir_all(place.path(folder)).unwrap();
        std::fs::create_dir(place.path(folder)).unwrap();
    }
    place.nightly(&["--no-fuzz"]).assert().code(3).stdout(
        contains("| corpus regressions | **NOT RUN** |")
            .and(contains("| corpus isr_ops | **NOT RUN** |")),
    );
}

#[test]
fn what_an_earlier_night_has_left_is_not_found_again() {
    let place = Place::new();
    place.script("cargo", NOTHING_FOUND);
    std::fs::create_dir_all(place.path("out/artifacts/isr_ops")).unwrap();
    std::fs::write(place.path("out/artifacts/isr_ops/crash-old"), violating()).unwrap();
    place.nightly(&[]).assert().code(0).stdout(contains("No findings."));
}

#[test]
fn one_issue_is_opened_for_each_signature_that_no_open_issue_names() {
    let place = Place::new();
    place.nightly(&["--variant", "published", "--no-fuzz"]).assert().code(1);
    let signatures: Vec<_> =
        place.result().findings.into_iter().map(|finding| finding.signature).collect();
    // Keeps the titles of its issues in a file, and their texts in others.
    place.script(
        "gh",
        r#"case "$1 $2" in
             "label create") ;;
             "issue list") cat titles;;
             "issue create") echo "$6" >> titles; cat > "body-$(wc -l < titles)";;
             *) echo "unexpected: $*" >&2; exit 1;;
           esac"#,
    );
    std::fs::write(place.path("titles"), format!("Nightly: {}\n", signatures[0])).unwrap();
    let report = || {
        place
            .highwater(&["report", "nightly", "out/summary.json", "--open-issues"])
            .assert()
            .code(1)
            .get_output()
            .clone()
    };
    report();
    let titles = std::fs::read_to_string(place.path("titles")).unwrap();
    let expected: Vec<_> = signatures.iter().map(|one| format!("Nightly: {one}")).collect();
    assert_eq!(titles.lines().collect::<Vec<_>>(), expected);
    let body = std::fs::read_to_string(place.path("body-2")).unwrap();
    for part in ["VIOLATED", "highwater replay out/findings/", "\"format\": \"isr-scenario/1\""] {
        assert!(body.contains(part), "{part} is not in\n{body}");
    }
    report();
    assert_eq!(std::fs::read_to_string(place.path("titles")).unwrap(), titles, "none twice");
    place.script("gh", "echo 'not logged in' >&2; exit 4");
    place
        .highwater(&["report", "nightly", "out/summary.json", "--open-issues"])
        .assert()
        .code(2)
        .stderr(contains("not logged in"));
}
