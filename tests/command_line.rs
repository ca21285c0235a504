//! The commands, as a user types them.

use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::path::{Path, PathBuf};

fn highwater() -> Command {
    Command::cargo_bin("highwater").unwrap()
}

/// Searches into a fresh folder; the folder and the file found.
fn search(arguments: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    highwater().arg("search").args(arguments).arg("--out").arg(folder.path()).assert().code(1);
    let files: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    (folder, files.into_iter().next().unwrap())
}

fn operations(file: &Path) -> usize {
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    json["ops"].as_array().unwrap().len()
}

#[test]
fn a_default_search_finds_at_most_6_operations_that_replay_confirms() {
    let (_folder, file) = search(&[]);
    assert!(operations(&file) <= 6);
    highwater().arg("replay").arg(&file).assert().code(0).stdout(contains("as expected"));
}

#[test]
fn the_same_seed_gives_a_byte_identical_file_with_1_and_with_2_threads_and_again() {
    for seed in ["0", "1", "2", "18446744073709551615"] {
        let content = |threads| {
            let (_folder, file) = search(&["--seed", seed, "--threads", threads]);
            (file.file_name().unwrap().to_owned(), std::fs::read(file).unwrap())
        };
        let one = content("1");
        assert_eq!(one, content("2"));
        assert_eq!(one, content("2"));
    }
}

#[test]
fn the_json_of_a_search_does_not_depend_on_threads_or_time() {
    let json = |threads: &str| {
        let folder = tempfile::tempdir().unwrap();
        let output = highwater()
            .current_dir(&folder)
            .args([
                "search",
                "--seed",
                "5",
                "--invariant",
                "acked-durability",
                "--json",
                "--threads",
                threads,
            ])
            .output()
            .unwrap();
        let mut json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(json["timing"]["seconds"].is_number());
        json.as_object_mut().unwrap().remove("timing");
        json
    };
    let one = json("1");
    assert_eq!(one, json("2"));
    for field in ["verdict", "seed", "sequences", "operations", "findings", "coverage"] {
        assert!(!one[field].is_null(), "{field}");
    }
    let finding = &one["findings"][0];
    for field in ["signature", "invariant", "operation", "count", "file", "scenario"] {
        assert!(!finding[field].is_null(), "{field}");
    }
    assert_eq!(finding["invariant"], "acked-durability");
}

#[test]
fn a_search_that_finds_nothing_says_so_and_exits_with_0() {
    let folder = tempfile::tempdir().unwrap();
    highwater()
        .current_dir(&folder)
        .args(["search", "--sequences", "2000", "--invariant", "stale-epoch-rejection"])
        .assert()
        .code(0)
        .stdout(contains("clean: variant published, seed 0, 2000 sequences"));
}

#[test]
fn an_invariant_whose_premise_never_came_up_is_not_tested_and_never_passed() {
    let folder = tempfile::tempdir().unwrap();
    highwater()
        .current_dir(&folder)
        .args([
            "search",
            "--sequences",
            "1",
            "--ops",
            "1..1",
            "--invariant",
            "stale-epoch-rejection",
        ])
        .assert()
        .code(0)
        .stdout(contains("stale-epoch-rejection        NOT TESTED"));
}

#[test]
fn an_expectation_that_does_not_come_true_exits_with_1() {
    let (_folder, file) = search(&["--invariant", "committed-prefix-agreement"]);
    let text = std::fs::read_to_string(&file).unwrap();
    let replay = |content: &str, code: i32| {
        std::fs::write(&file, content).unwrap();
        highwater().arg("replay").arg(&file).assert().code(code)
    };
    replay(&text, 0);
    let other = text.replace(
        "\"invariant\":\"committed-prefix-agreement\"",
        "\"invariant\":\"stale-epoch-rejection\"",
    );
    assert_ne!(other, text);
    replay(&other, 1).stdout(contains("NOT AS EXPECTED"));
    let line = text.lines().find(|line| line.contains("\"expect\"")).unwrap();
    replay(&text.replace(line, "\"expect\": {\"verdict\": \"clean\"},"), 1);
    // Without an expectation a violation is a violation.
    replay(&text.replace(line, ""), 1);
}

#[test]
fn list_prints_every_invariant_with_its_statement() {
    use highwater::invariants::InvariantId;
    let output = highwater().args(["list", "invariants"]).assert().code(0);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert_eq!(text.lines().count(), 18);
    for invariant in InvariantId::ALL.into_iter().chain(InvariantId::SPECIFIED) {
        let line = text.lines().find(|line| line.starts_with(invariant.name())).unwrap();
        assert!(line.contains(invariant.statement()));
    }
    for what in ["models", "variants", "guards", "operations", "profiles"] {
        highwater().args(["list", what, "--json"]).assert().code(0).stdout(contains("statement"));
    }
}

#[test]
fn a_trace_shows_every_event_under_its_operation() {
    let (_folder, file) = search(&["--invariant", "committed-prefix-agreement"]);
    let output = highwater().args(["replay", "--trace"]).arg(&file).assert().code(0);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    for part in [
        "-- creation",
        "isr_group_created",
        "-- operation 1:",
        "message_sent",
        "-- after the last operation",
    ] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn shrink_makes_a_long_scenario_short_and_keeps_its_names() {
    let folder = tempfile::tempdir().unwrap();
    let long = folder.path().join("long.json");
    let noise = r#"{"op": "tick"}, {"op": "read", "key": "other", "level": "LOCAL"}, "#.repeat(20);
    let text = format!(
        r#"{{"format": "isr-scenario/1", "config": {{"nodes": ["x", "y", "z"]}}, "ops": [{noise}
        {{"op": "write", "key": "key", "value": "one", "ack": "LEADER"}}, {noise}
        {{"op": "crash", "node": "z"}}, {{"op": "crash", "node": "y"}}, {noise}
        {{"op": "write", "key": "key", "value": "two", "ack": "LEADER"}}, {{"op": "tick"}}]}}"#
    );
    std::fs::write(&long, text).unwrap();
    let output = highwater()
        .arg("shrink")
        .arg(&long)
        .args(["--invariant", "committed-on-min-insync", "--json", "--out"])
        .arg(folder.path())
        .assert()
        .code(0);
    let json: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let short = PathBuf::from(json["file"].as_str().unwrap());
    assert!(operations(&short) <= 3, "{json}");
    let content = std::fs::read_to_string(&short).unwrap();
    assert!(content.contains("\"nodes\":[\"x\",\"y\"]"), "two of its nodes are enough: {content}");
    assert!(content.contains("\"key\":\"key\""), "{content}");
    highwater().arg("replay").arg(&short).assert().code(0);
}

#[test]
fn every_command_has_help_with_an_example() {
    for command in ["search", "replay", "shrink", "conform", "ablate", "list"] {
        highwater().args([command, "--help"]).assert().code(0).stdout(contains("Example"));
    }
}

#[test]
fn coverage_that_is_asked_for_and_not_reached_exits_with_3() {
    let folder = tempfile::tempdir().unwrap();
    let search = |arguments: &[&str], code: i32| {
        let fixed = ["search", "--invariant", "stale-epoch-rejection", "--require-coverage"];
        highwater().current_dir(&folder).args(fixed).args(arguments).assert().code(code)
    };
    search(&["--sequences", "5000"], 0);
    let calm = search(&["--sequences", "200", "--profile", "calm"], 3);
    calm.stderr(contains("not tested: stale-epoch-rejection")).stdout(contains("NOT TESTED"));
}

#[test]
fn max_findings_stops_at_so_many_kinds() {
    let folder = tempfile::tempdir().unwrap();
    let output = highwater()
        .current_dir(&folder)
        .args(["search", "--max-findings", "3", "--json"])
        .output()
        .unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(json["groups"].as_array().unwrap().len() >= 3);
    assert_eq!(json["stopped"], true);
}

#[test]
fn weights_replace_those_of_the_profile() {
    let folder = tempfile::tempdir().unwrap();
    let output = highwater()
        .current_dir(&folder)
        .args([
            "search",
            "--invariant",
            "none",
            "--sequences",
            "500",
            "--weights",
            "crash=0,tick=0",
            "--json",
        ])
        .output()
        .unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let generated =
        |kind: &str| json["coverage"]["operations"][kind]["generated"].as_u64().unwrap();
    assert_eq!((generated("crash"), generated("tick")), (0, 0));
    assert!(generated("isolate") > 0);
}

#[test]
fn checking_determinism_finds_none_in_the_model() {
    let folder = tempfile::tempdir().unwrap();
    highwater()
        .current_dir(&folder)
        .args([
            "search",
            "--invariant",
            "stale-epoch-rejection",
            "--sequences",
            "2000",
            "--check-determinism",
        ])
        .assert()
        .code(0);
}

#[test]
fn a_hardened_search_finds_nothing_and_leaves_no_invariant_untested() {
    let folder = tempfile::tempdir().unwrap();
    highwater()
        .current_dir(&folder)
        .args(["search", "--variant", "hardened", "--sequences", "20000", "--require-coverage"])
        .assert()
        .code(0)
        .stdout(contains("clean: variant hardened"));
}

#[test]
fn what_the_checker_gave_up_on_is_undecided_and_never_clean() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many.json");
    let write =
        |number| format!(r#"{{"op": "write", "key": "k", "value": "v{number}", "ack": "LEADER"}}"#);
    let writes: Vec<_> = (0..140).map(write).collect();
    let scenario = |expect: &str| {
        let ops = writes.join(", ");
        format!(
            r#"{{"format": "isr-scenario/1", "variant": "hardened", {expect} "config": {{"nodes": ["a", "b"]}}, "ops": [{ops}]}}"#
        )
    };
    for expect in ["", r#""expect": {"verdict": "clean"},"#] {
        std::fs::write(&file, scenario(expect)).unwrap();
        let replay = highwater().arg("replay").arg(&file).assert().code(1);
        replay.stdout(contains("UNDECIDED").and(contains("client-linearizability")));
    }
    // Nor is what was not checked.
    std::fs::write(&file, scenario("")).unwrap();
    let none = highwater().args(["replay", "--invariant", "none"]).arg(&file).assert().code(1);
    none.stdout(contains("NOT CHECKED"));
}
