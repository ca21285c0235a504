//! `highwater ablate` and `--without`, as a user types them.

use assert_cmd::Command;
use predicates::str::contains;
use std::path::Path;

fn highwater() -> Command {
    Command::cargo_bin("highwater").unwrap()
}

fn operations(file: &Path) -> usize {
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    json["ops"].as_array().unwrap().len()
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
