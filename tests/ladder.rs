//! `highwater ladder`, and the models of Kafka's history on the command line.

use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

fn highwater(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("highwater").unwrap();
    let folder = std::env::temp_dir();
    command.current_dir(folder).args(arguments);
    command
}

#[test]
fn each_rung_breaks_at_its_size_and_the_last_one_holds() {
    let output = highwater(&["ladder", "--json"]).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let rungs = json["rungs"].as_array().unwrap().iter().map(|rung| {
        let size =
            ["replicas", "records", "max_leader_epoch"].map(|name| rung["size"][name].as_u64());
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        (text(&rung["specification"]), text(&rung["invariant"]), size, rung["steps"].as_u64())
    });
    let broken = |specification: &str, invariant: &str, size: [u64; 3], steps| {
        (specification.to_owned(), invariant.to_owned(), size.map(Some), Some(steps))
    };
    let whole = |invariant: &str| ("kip:320".to_owned(), invariant.to_owned(), [None; 3], None);
    let expected = [
        broken("kip:truncate-to-hw", "weak-isr", [2, 1, 1], 8),
        broken("kip:truncate-to-hw", "strong-isr", [2, 1, 1], 9),
        broken("kip:101", "weak-isr", [2, 2, 2], 11),
        broken("kip:101", "strong-isr", [2, 2, 2], 11),
        broken("kip:279", "weak-isr", [3, 1, 2], 10),
        broken("kip:279", "strong-isr", [3, 1, 1], 11),
        broken("kip:320-first-try", "weak-isr", [3, 1, 2], 11),
        broken("kip:320-first-try", "strong-isr", [3, 1, 2], 12),
        whole("weak-isr"),
        whole("strong-isr"),
    ];
    assert_eq!(rungs.collect::<Vec<_>>(), expected);
}

#[test]
fn a_counterexample_is_told_step_by_step() {
    let size =
        ["--replicas", "2", "--log-size", "2", "--max-records", "2", "--max-leader-epoch", "2"];
    highwater(&["explore", "--model", "kip:101"]).args(size).assert().code(1).stdout(
        contains("VIOLATED weak-isr at operation 11")
            .and(contains("the controller elects r1"))
            .and(contains("No sequence of fewer than 11 operations"))
            .and(contains("NEVER APPLIED: follower_truncate"))
            .and(contains("violated: weak-isr, kip:101")),
    );
    highwater(&["explore", "--model", "kip:279"])
        .args(size)
        .assert()
        .code(0)
        .stdout(contains("9027 states visited").and(contains("exhausted: clean, kip:279")));
    let symmetric = ["--model", "kip:279", "--symmetry"];
    highwater(&["explore"]).args(symmetric).args(size).assert().code(0);
    let proposed = ["explore", "--model", "kip:async-isr", "--hw-over", "proposed"];
    highwater(&proposed).assert().code(1).stdout(contains("VIOLATED valid-high-watermark"));
    highwater(&["explore", "--model", "kip:async-isr"])
        .assert()
        .code(0)
        .stdout(contains("4088 states visited"));
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let refused = |arguments: &[&str], reason: &str| {
        highwater(&["explore"]).args(arguments).assert().code(2).stderr(contains(reason));
    };
    refused(&["--model", "kip:999"], "unknown model; known are isr, kip:truncate-to-hw");
    refused(
        &["--model", "kip:320", "--variant", "hardened"],
        "--variant: means nothing to the model kip:320",
    );
    refused(&["--model", "kip:320", "--replicas", "5"], "replicas 5 is out of range 1 to 4");
    refused(&["--model", "kip:320", "--max-records", "0"], "max records 0 is out of range");
    refused(
        &["--model", "kip:320", "--max-leader-epoch", "7"],
        "max leader epoch 7 is out of range",
    );
    refused(&["--model", "kip:async-isr", "--max-version", "4"], "max version 4 is out of range");
    refused(&["--model", "kip:320", "--without", "epoch-check"], "unknown rule \"epoch-check\"");
    refused(&["--model", "kip:async-isr", "--without", "x"], "see --hw-over");
    refused(&["--model", "kip:320", "--operations", "tick"], "unknown operation \"tick\"");
    refused(
        &["--model", "kip:320", "--invariant", "epoch-order"],
        "known are weak-isr, strong-isr",
    );
    refused(&["--invariant", "weak-isr"], "unknown invariant \"weak-isr\" of isr");
}
