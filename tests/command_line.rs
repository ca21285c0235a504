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
    assert_eq!(text.lines().count(), 14);
    for invariant in InvariantId::ALL {
        let line = text.lines().find(|line| line.starts_with(invariant.name())).unwrap();
        assert!(line.ends_with(invariant.statement()));
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

/// A search that goes on to the end, as JSON without its timing.
fn keep_going(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let output = highwater()
        .current_dir(folder)
        .args(["search", "--keep-going", "--sequences", "20000", "--json"])
        .args(arguments)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn without_timing(mut json: serde_json::Value) -> String {
    json.as_object_mut().unwrap().remove("timing").unwrap();
    json.to_string()
}

#[test]
fn a_search_that_keeps_going_gives_identical_json_on_1_and_2_threads_and_as_shards_merged() {
    let folder = tempfile::tempdir().unwrap();
    let whole = without_timing(keep_going(folder.path(), &["--threads", "1"]));
    assert_eq!(whole, without_timing(keep_going(folder.path(), &["--threads", "2"])));

    let files = ["1/3", "2/3", "3/3"].map(|shard| {
        let file = folder.path().join(shard.replace('/', "-") + ".json");
        std::fs::write(&file, keep_going(folder.path(), &["--shard", shard]).to_string()).unwrap();
        file
    });
    let mut merge = highwater();
    merge.args(["report", "merge", "--json"]).args(files.iter().rev());
    let output = merge.assert().code(1).get_output().stdout.clone();
    let merged: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(whole, without_timing(merged));

    let twice = highwater().args(["report", "merge"]).args([&files[0], &files[0]]).assert().code(2);
    twice.stderr(contains("are in two shards"));
    let other = folder.path().join("other.json");
    std::fs::write(&other, keep_going(folder.path(), &["--seed", "9"]).to_string()).unwrap();
    let mixed = highwater().args(["report", "merge"]).args([&files[0], &other]).assert().code(2);
    mixed.stderr(contains("not shards of one search: seed is 0 and 9"));
}

#[test]
fn shards_of_a_search_that_stops_at_the_first_violation_stop_where_the_whole_would() {
    let folder = tempfile::tempdir().unwrap();
    let search = |arguments: &[&str]| {
        let fixed =
            ["search", "--invariant", "client-linearizability", "--sequences", "30000", "--json"];
        let output = highwater().current_dir(&folder).args(fixed).args(arguments).output().unwrap();
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let whole = search(&[]);
    assert_eq!(whole["stopped"], true);
    let files = ["1/4", "2/4", "3/4", "4/4"].map(|shard| {
        let file = folder.path().join(shard.replace('/', "-") + ".json");
        std::fs::write(&file, search(&["--shard", shard]).to_string()).unwrap();
        file
    });
    let mut merge = highwater();
    merge.args(["report", "merge", "--json"]).args(&files);
    let output = merge.assert().code(1).get_output().stdout.clone();
    let merged = serde_json::from_slice::<serde_json::Value>(&output).unwrap();
    assert_eq!(without_timing(whole), without_timing(merged));
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
fn ablate_shows_which_invariant_misses_a_guard_and_writes_a_scenario_that_replays() {
    let folder = tempfile::tempdir().unwrap();
    let output = highwater()
        .current_dir(&folder)
        .args(["ablate", "--guard", "epoch-check,commit-on-min-insync", "--json"])
        .assert()
        .code(0);
    let json: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let guards = json["guards"].as_array().unwrap();
    assert_eq!(guards.len(), 2);
    assert_eq!(guards[0]["name"], "epoch-check");
    assert_eq!(guards[0]["caught_by"], "stale-epoch-rejection");
    assert_eq!(guards[1]["caught_by"], "committed-on-min-insync");
    for guard in guards {
        let file = folder.path().join(guard["file"].as_str().unwrap());
        assert_eq!(operations(&file) as u64, guard["ops"].as_u64().unwrap());
        highwater().arg("replay").arg(&file).assert().code(0);
    }
}

#[test]
fn ablation_of_a_variant_that_is_not_clean_is_refused_since_it_would_say_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let ablate = |arguments: &[&str]| {
        highwater().current_dir(&folder).arg("ablate").args(arguments).assert().code(2)
    };
    ablate(&["--variant", "published"]).stderr(contains("published itself violates"));
    ablate(&["--guard", "courage"]).stderr(contains("epoch-check"));
}

#[test]
fn a_guard_whose_absence_is_not_caught_is_marked_and_the_exit_code_says_so() {
    let folder = tempfile::tempdir().unwrap();
    // One sequence is not enough to miss a guard that is needed rarely.
    highwater()
        .current_dir(&folder)
        .args(["ablate", "--guard", "wait-above-min-insync", "--sequences", "1"])
        .assert()
        .code(1)
        .stdout(contains("wait-above-min-insync NOT CAUGHT"));
}

#[test]
fn a_guard_is_switched_off_by_option_and_stays_off_in_the_file_that_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let output = highwater()
        .current_dir(&folder)
        .args(["search", "--variant", "hardened", "--without", "fence-waiting-writes", "--json"])
        .assert()
        .code(1);
    let json: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!(json["variant"], "hardened-without-fence-waiting-writes");
    let file = folder.path().join(json["findings"][0]["file"].as_str().unwrap());
    let content = std::fs::read_to_string(&file).unwrap();
    assert!(content.contains("\"without\": [\"fence-waiting-writes\"]"), "{content}");
    highwater().arg("replay").arg(&file).assert().code(0);
    // With the guard back, the same operations are harmless.
    let mended = content.replace("  \"without\": [\"fence-waiting-writes\"],\n", "");
    std::fs::write(&file, mended).unwrap();
    highwater().arg("replay").arg(&file).assert().code(1).stdout(contains("NOT AS EXPECTED"));
    highwater()
        .current_dir(&folder)
        .args(["search", "--without", "fence-waiting-writes"])
        .assert()
        .code(2)
        .stderr(contains("published has no guard fence-waiting-writes"));
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

#[test]
fn parts_that_leave_a_gap_or_are_damaged_are_not_merged() {
    let folder = tempfile::tempdir().unwrap();
    let shard = |number: u32| {
        let file = folder.path().join(format!("{number}.json"));
        let json = keep_going(folder.path(), &["--shard", &format!("{number}/3")]);
        std::fs::write(&file, json.to_string()).unwrap();
        file
    };
    let (one, three) = (shard(1), shard(3));
    let gap = highwater().args(["report", "merge"]).args([&one, &three]).assert().code(2);
    gap.stderr(contains("in no shard"));
    highwater().args(["report", "merge"]).arg(&one).assert().code(1).stderr(contains("incomplete"));
    let damaged = std::fs::read_to_string(&one).unwrap();
    let damaged = damaged.replace("\"sequences\":6666,", "\"sequences\":18446744073709551615,");
    std::fs::write(&one, damaged).unwrap();
    highwater().args(["report", "merge"]).arg(&one).assert().code(2).stderr(contains("damaged"));
}
