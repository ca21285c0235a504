//! Bad input gets one clear error that names file, place and reason, exit code 2, and nothing is
//! lost.

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use std::io::Write;
use std::path::{Path, PathBuf};

fn highwater() -> Command {
    Command::cargo_bin("highwater").unwrap()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn file(folder: &Path, name: &str, content: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path
}

const GOOD: &str = r#"{"format": "isr-scenario/1", "config": {"nodes": ["a", "b", "c"]}, "ops": [{"op": "tick"}]}"#;

/// Replays `content` and expects one error line that names the file and says all of `parts`.
fn refused(content: &[u8], parts: &[&str]) {
    let folder = folder();
    let path = file(folder.path(), "bad.json", content);
    let assert = highwater().arg("replay").arg(&path).assert().code(2).stdout("");
    let output = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert_eq!(output.lines().count(), 1, "one error: {output}");
    for part in parts.iter().copied().chain([path.to_str().unwrap()]) {
        assert!(output.contains(part), "{part:?} is missing in: {output}");
    }
    assert!(!output.contains("panicked"), "{output}");
}

fn refused_change(from: &str, to: &str, parts: &[&str]) {
    assert!(GOOD.contains(from));
    refused(GOOD.replacen(from, to, 1).as_bytes(), parts);
}

#[test]
fn the_unchanged_scenario_is_accepted() {
    let folder = folder();
    let path = file(folder.path(), "good.json", GOOD.as_bytes());
    highwater().arg("replay").arg(path).assert().code(0).stdout(contains("clean"));
}

#[test]
fn a_scenario_with_anything_unknown_is_refused_with_its_place() {
    refused_change(
        "isr-scenario/1",
        "isr-scenario/2",
        &["format", "isr-scenario/2", "reads \"isr-scenario/1\""],
    );
    refused_change("\"ops\"", "\"opps\"", &["line 1", "opps"]);
    refused_change("\"tick\"", "\"tock\"", &["ops[0].op", "tock", "run_until_idle"]);
    refused_change("\"tick\"", "\"crash\", \"node\": \"d\"", &["ops[0].node", "\"d\"", "a, b, c"]);
    refused_change("\"tick\"", "\"tick\", \"nod\": \"a\"", &["ops[0]", "nod"]);
    refused_change("\"tick\"", "\"tick\", \"node\": \"a\"", &["ops[0].node", "takes no field"]);
    refused_change("\"tick\"", "\"fsync\"", &["ops[0].node", "missing"]);
    let write = |ack: &str| format!(r#""write", "key": "k", "value": "v", "ack": "{ack}""#);
    refused_change("\"tick\"", &write("SOME"), &["ops[0].ack", "SOME", "ALL_ISR"]);
    refused_change(
        "\"tick\"",
        r#""read", "key": "k", "level": "GLOBAL""#,
        &["ops[0].level", "GLOBAL", "LOCAL"],
    );
    refused_change("\"config\"", "\"model\": \"raft\", \"config\"", &["model", "raft"]);
    refused_change(
        "\"config\"",
        "\"variant\": \"perfect\", \"config\"",
        &["variant", "perfect", "published"],
    );
    refused_change(
        "\"config\"",
        "\"expect\": {\"verdict\": \"fine\"}, \"config\"",
        &["expect.verdict", "fine"],
    );
    let without = r#""variant": "hardened", "without": ["epoch-check", "courage"], "config""#;
    refused_change("\"config\"", without, &["without[1]", "courage", "list guards"]);
    let without = r#""without": ["one-catch-up"], "config""#;
    refused_change("\"config\"", without, &["without[0]", "no guard of published"]);
    let expect = r#""expect": {"verdict": "violated", "invariant": "x", "operation": 1}, "config""#;
    refused_change("\"config\"", expect, &["expect.invariant", "\"x\""]);
    let expect =
        r#""expect": {"verdict": "violated", "invariant": "recovery", "operation": 2}, "config""#;
    refused_change("\"config\"", expect, &["expect.operation", "beyond"]);
}

#[test]
fn a_configuration_out_of_range_is_refused_with_its_place() {
    let config = |fields: &str| format!("\"nodes\": [\"a\", \"b\", \"c\"], {fields}");
    let nodes = "\"nodes\": [\"a\", \"b\", \"c\"]";
    refused_change(nodes, "\"nodes\": [\"a\"]", &["config.nodes", "at least two"]);
    refused_change(nodes, "\"nodes\": [\"a\", \"a\"]", &["config.nodes", "unique"]);
    let many: Vec<_> = (0..17).map(|n| format!("\"n{n}\"")).collect();
    refused_change(
        nodes,
        &format!("\"nodes\": [{}]", many.join(",")),
        &["config.nodes", "17", "8"],
    );
    refused_change(nodes, &config("\"leader\": \"d\""), &["config.leader", "member"]);
    refused_change(
        nodes,
        &config("\"min_insync_replicas\": 4"),
        &["config.min_insync_replicas", "fit"],
    );
    refused_change(nodes, &config("\"replication_delay\": 0"), &["config", "positive"]);
    refused_change(
        nodes,
        &config("\"ack_timeout\": -1"),
        &["config.ack_timeout", "-1", "out of range"],
    );
    refused_change(nodes, &config("\"ack_timeout\": 1e99"), &["config.ack_timeout"]);
    refused_change(nodes, &config("\"seed\": -1"), &["config.seed"]);
}

#[test]
fn a_file_that_is_no_json_is_refused_with_line_and_column() {
    refused(b"", &["empty"]);
    refused(b" \n", &["empty"]);
    refused(b"{\n  \"format\": \"isr-scenario/1\",\n  oops\n}", &["line 3, column 3"]);
    refused(b"{\"format\": \"isr-scenario/1\", \"ops\": [", &["line 1"]);
    refused(b"{\n\"format\": \"\xff\"}", &["line 2, column 12", "UTF-8"]);
    refused(b"[]", &["line 1"]);
    refused(format!("{GOOD} x").as_bytes(), &["line 1", "follows"]);
    refused(&GOOD.as_bytes()[..GOOD.len() - 1], &["line 1"]);
    refused_change("\"ops\"", "\"ops\": [], \"ops\"", &["duplicate field `ops`"]);
    refused("[".repeat(100_000).as_bytes(), &["line 1"]);
}

#[test]
fn a_missing_file_and_a_folder_are_refused() {
    highwater()
        .args(["replay", "no/such/file.json"])
        .assert()
        .code(2)
        .stderr(contains("no/such/file.json: cannot be read"));
    highwater()
        .args(["shrink", "no/such/file.json"])
        .assert()
        .code(2)
        .stderr(contains("no/such/file.json: cannot be read"));
    let folder = folder();
    highwater()
        .arg("replay")
        .arg(folder.path())
        .assert()
        .code(2)
        .stderr(contains("cannot be read"));
}

#[test]
fn one_bad_file_among_good_ones_is_found_before_anything_is_run() {
    let folder = folder();
    let good = file(folder.path(), "good.json", GOOD.as_bytes());
    let bad = file(folder.path(), "bad.json", b"{");
    highwater()
        .arg("replay")
        .args([good, bad])
        .assert()
        .code(2)
        .stdout("")
        .stderr(contains("bad.json"));
}

#[test]
fn a_file_that_holds_no_golden_runs_is_refused() {
    let folder = folder();
    let conform = |name: &str, content: &[u8], part: &str| {
        let path = file(folder.path(), name, content);
        let assert = highwater().arg("conform").arg(&path).assert().code(2).stdout("");
        assert.stderr(contains(path.to_str().unwrap()).and(contains(part)));
    };
    let reference = std::fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/corpus/reference/minidist-isr.jsonl.gz"
    ))
    .unwrap();
    conform("empty.jsonl", b"", "empty");
    conform("truncated.jsonl.gz", &reference[..reference.len() / 2], "gzip");
    let mut corrupt = reference.clone();
    corrupt[50_000] ^= 0xff;
    conform("corrupt.jsonl.gz", &corrupt, "gzip");
    conform("header.jsonl.gz", &reference[..5], "gzip");
    conform("binary.jsonl", b"{}\n\xff", "line 2");
    conform("scenario.jsonl", GOOD.as_bytes(), "line 1");
    conform("text.jsonl", b"hello", "line 1");
    let steps = br#"{"format":"isr-scenario/1","name":"x","config":{"nodes":["a","b"]},"initial_state":{},"ops":[{"op":"tick"}],"steps":[],"trace":[]}"#;
    conform("steps.jsonl", steps, "0 steps for 1 operations");
    highwater()
        .args(["conform", "no.jsonl"])
        .assert()
        .code(2)
        .stderr(contains("no.jsonl: cannot be read"));
}

#[test]
fn an_output_folder_that_cannot_be_written_is_refused_before_any_work() {
    let folder = folder();
    let in_the_way = file(folder.path(), "file", b"precious");
    for out in [in_the_way.clone(), in_the_way.join("below")] {
        highwater()
            .args(["search", "--out"])
            .arg(&out)
            .assert()
            .code(2)
            .stdout("")
            .stderr(contains(out.to_str().unwrap()));
    }
    assert_eq!(std::fs::read(in_the_way).unwrap(), b"precious");
}

#[test]
fn bad_options_are_refused_with_what_would_be_right() {
    let cases: [(&[&str], &str); 10] = [
        (&["search", "--variant", "perfect"], "published"),
        (&["search", "--model", "raft"], "isr"),
        (&["search", "--invariant", "nonsense"], "hw-monotonicity"),
        (&["search", "--ops", "9..3"], "MIN at most MAX"),
        (&["search", "--ops", "5"], "5..40"),
        (&["search", "--sequences", "0"], "runs nothing"),
        (&["search", "--threads", "0"], "1..=1024"),
        (&["search", "--for", "soon"], "soon"),
        (&["search", "--seed", "-1"], "or `random`"),
        (&["list", "nonsense"], "invariants"),
    ];
    let folder = folder();
    for (arguments, part) in cases {
        highwater().current_dir(&folder).args(arguments).assert().code(2).stderr(contains(part));
    }
}

#[test]
fn a_finding_never_overwrites_what_is_there() {
    let folder = folder();
    let search = || {
        let mut command = highwater();
        command.args(["search", "--seed", "1", "--json", "--out"]).arg(folder.path());
        let output = command.assert().code(1).get_output().stdout.clone();
        let json: serde_json::Value = serde_json::from_slice(&output).unwrap();
        PathBuf::from(json["findings"][0]["file"].as_str().unwrap())
    };
    let first = search();
    assert_eq!(search(), first, "the same finding is the same file");
    let found = std::fs::read(&first).unwrap();
    std::fs::OpenOptions::new().append(true).open(&first).unwrap().write_all(b"\n").unwrap();
    let edited = std::fs::read(&first).unwrap();
    let second = search();
    assert_ne!(second, first);
    assert_eq!(std::fs::read(&first).unwrap(), edited, "what was there is still there");
    assert_eq!(std::fs::read(&second).unwrap(), found);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2, "no half-written file is left");
}
