//! `highwater explore` and `--certify`, as a user types them.

use assert_cmd::Command;
use highwater::scenario::Scenario;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;
use std::path::Path;

const SMALL: &str = "submit=1,controller_elect=1,crash_losing=1,restart,tick";

fn highwater(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("highwater").unwrap();
    command.current_dir(folder).args(arguments);
    command
}

fn json(command: &mut Command) -> Value {
    serde_json::from_slice(&command.output().unwrap().stdout).unwrap()
}

#[test]
fn a_violation_is_shown_written_and_confirmed_by_replay() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["explore", "--invariant", "committed-prefix-agreement", "--no-second-phase"];
    highwater(folder.path(), &arguments).assert().code(1).stdout(
        contains("VIOLATED committed-prefix-agreement at operation 3")
            .and(contains("No sequence of fewer than 3 operations within the bounds violates"))
            .and(contains("violated: committed-prefix-agreement, variant published")),
    );
    let file = std::fs::read_dir(folder.path().join("findings")).unwrap().next().unwrap().unwrap();
    assert_eq!(Scenario::read(&file.path()).unwrap().operations.len(), 3);
    highwater(folder.path(), &["replay", file.path().to_str().unwrap()]).assert().code(0);
}

#[test]
fn an_exhausted_space_says_what_that_is_worth() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["explore", "--variant", "hardened", "--operations", SMALL];
    highwater(folder.path(), &arguments).assert().code(0).stdout(
        contains("exhausted: clean, variant hardened")
            .and(contains(format!("bounds: {SMALL}")))
            .and(contains("states per level: 1 "))
            .and(contains("probability that a fingerprint hid a state"))
            .and(contains("NOT TESTED: linearizable-read-below-hw")),
    );
    let with = |more: &[&str]| json(highwater(folder.path(), &arguments).args(more).arg("--json"));
    let one = with(&["--threads", "1"]);
    let mut two = with(&["--threads", "2"]);
    assert_eq!(one["verdict"], "exhausted");
    assert!(one["counterexample"].is_null());
    assert!(
        one["distinct"].as_u64() > Some(100)
            && one["generated"].as_u64() > one["distinct"].as_u64()
    );
    assert_eq!(one["depth"].as_u64().unwrap() as usize, one["levels"].as_array().unwrap().len());
    assert!(one["collision_probability"]["calculated"].as_f64() < Some(1e-9));
    two["timing"] = one["timing"].clone();
    assert_eq!(one, two);
}

#[test]
fn what_never_applied_is_named() {
    let folder = tempfile::tempdir().unwrap();
    // Nothing is ever down, so nothing is ever restarted.
    let arguments = ["explore", "--variant", "hardened", "--operations", "submit=1,restart,tick"];
    highwater(folder.path(), &arguments)
        .assert()
        .code(0)
        .stdout(contains("NEVER APPLIED: restart"));
}

#[test]
fn a_budget_is_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let explore = |more: &[&str]| {
        let arguments = ["explore", "--variant", "hardened", "--no-second-phase"];
        highwater(folder.path(), &arguments).args(more).assert().code(3)
    };
    let left = || contains("states were visited and not gone on from");
    explore(&["--max-states", "100"])
        .stdout(contains("budget reached (the most states)").and(left()));
    explore(&["--max-depth", "2"])
        .stdout(contains("budget reached (the most operations)").and(left()));
    explore(&["--max-memory", "1MiB"])
        .stdout(contains("budget reached (the most memory)").and(left()));
    explore(&["--for", "1ms"]).stdout(contains("budget reached (the time)").and(left()));
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |more: &[&str], reason: &str| {
        highwater(folder.path(), &["explore"]).args(more).assert().code(2).stderr(contains(reason));
    };
    refused(&["--operations", "wrte=2"], "unknown operation \"wrte\"; known are write, submit");
    refused(&["--operations", "write=300"], "\"300\": give a number from 0 to 255");
    refused(&["--operations", "write=1,write=2"], "write is given twice");
    refused(&["--nodes", "9"], "9 nodes are more than the 8");
    refused(&["--min-insync-replicas", "4"], "min.insync.replicas must fit the group");
    refused(&["--ack-timeout", "0"], "must be positive");
    refused(&["--max-memory", "9999TiB"], "that are available; give less, or --max-states");
    refused(&["--ack-timeout", "200000"], "100000");
    refused(&["--replication-delay", "18446744073709551615"], "100000");
    refused(&["--operations", ""], "nothing is offered");
    refused(&["--symmetry"], "names of nodes matter to the model isr");
    refused(&["--resume", "nowhere"], "nowhere/exploration.json: no checkpoint here");
    refused(&["--resume", "a", "--checkpoint", "b"], "cannot be used with");
}

#[test]
fn how_long_messages_are_delayed_is_a_bound_and_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let explore = |more: &[&str]| {
        let rules = ["--variant", "hardened", "--without", "snapshot-never-back", "--nodes", "2"];
        let numbers = ["--replica-lag-timeout", "3", "--log-retention", "8", "--ack-timeout", "32"];
        let bounds = "write=2,controller_elect=1,delay_message=1,run_until_idle=1";
        let mut command = highwater(folder.path(), &["explore", "--no-second-phase"]);
        command.args(rules).args(numbers).args(["--lease-duration", "4", "--operations", bounds]);
        command.args(["--invariant", "hw-monotonicity"]).args(more).assert()
    };
    explore(&[]).code(0).stdout(contains("messages delayed by up to 1 ticks"));
    explore(&["--max-delay", "5"]).code(1).stdout(contains("VIOLATED hw-monotonicity"));
}

#[test]
fn a_killed_exploration_that_is_resumed_ends_with_the_counts_of_one_that_was_not() {
    let folder = tempfile::tempdir().unwrap();
    let bounds = "submit=2,controller_elect=1,crash_losing=1,restart,isolate=1,heal=1,tick";
    let arguments = ["explore", "--variant", "hardened", "--no-second-phase", "--json"];
    let explore = |more: &[&str]| {
        let mut command = highwater(folder.path(), &arguments);
        command.args(["--operations", bounds]).args(more);
        command
    };
    let whole = json(&mut explore(&[]));
    // Killed as soon as level 8 is there, in the middle of level 9, which is the largest.
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("highwater"));
    command.current_dir(folder.path()).args(arguments).args(["--operations", bounds]);
    let mut child = command.args(["--checkpoint", "levels"]).spawn().unwrap();
    while !folder.path().join("levels/level-00008").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    explore(&["--checkpoint", "levels"])
        .assert()
        .code(2)
        .stderr(contains("there is a checkpoint already; go on with it by --resume"));
    let mut resumed = json(&mut explore(&["--resume", "levels"]));
    resumed["timing"] = whole["timing"].clone();
    // How far the table has grown depends on where it began.
    resumed["bytes"] = whole["bytes"].clone();
    assert_eq!(resumed, whole);
    assert_eq!(whole["distinct"], 673_935);
}

#[test]
fn shrinking_and_searching_certify() {
    let folder = tempfile::tempdir().unwrap();
    highwater(folder.path(), &["search", "--certify"])
        .assert()
        .code(1)
        .stdout(contains("certified: no sequence of fewer than 1 of these kinds of operations"));
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/corpus/regressions/hardened-without-fence-waiting-writes.json"
    );
    highwater(folder.path(), &["shrink", file, "--certify"])
        .assert()
        .code(0)
        .stdout(contains("certified: no sequence of fewer than 3 of these kinds of operations"));
    let shrink = ["shrink", file, "--certify", "--certify-states", "1", "--json"];
    assert_eq!(json(&mut highwater(folder.path(), &shrink))["certificate"], "unknown");
}
