//! `highwater corpus`, as a user types it.

use assert_cmd::Command;
use highwater::fuzz::Coverage;
use highwater::isr::{Rules, Variant};
use highwater::scenario::Scenario;
use highwater::scenario::fuzz_input::FuzzInput;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn corpus(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("highwater").unwrap();
    command.arg("corpus").args(arguments);
    command
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// An input of many operations that violates something in `published`, in a file.
fn crash(folder: &Path) -> PathBuf {
    let regression =
        project("corpus/regressions/published-acked-durability-acked-not-in-history.json");
    let mut scenario = Scenario::read(&regression).unwrap();
    let tick = highwater::isr::Operation::Tick;
    scenario.operations = [vec![tick; 20], scenario.operations].concat();
    scenario.settings.rules = Rules::of(Variant::Hardened);
    let Scenario { settings, operations, .. } = scenario;
    let file = folder.join("crash-1");
    std::fs::write(&file, FuzzInput { settings, operations }.encode().unwrap()).unwrap();
    file
}

#[test]
fn what_a_fuzzer_found_becomes_a_shrunk_scenario_that_replay_confirms() {
    let folder = tempfile::tempdir().unwrap();
    let (crash, out) = (crash(folder.path()), folder.path().join("findings"));
    corpus(&["to-scenario", text(&crash), "--variant", "published", "--shrink"])
        .args(["--out", text(&out)])
        .assert()
        .code(0)
        .stdout(contains("VIOLATED").and(contains("operations shrunk to")));
    let [file] = files(&out).try_into().unwrap();
    assert!(Scenario::read(&file).unwrap().operations.len() <= 6);
    let mut replay = Command::cargo_bin("highwater").unwrap();
    replay.arg("replay").arg(file).assert().code(0).stdout(contains("as expected"));
}

#[test]
fn without_other_rules_it_is_what_the_input_names_and_nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let (crash, out) = (crash(folder.path()), folder.path().join("out"));
    for _ in 0..2 {
        corpus(&["to-scenario", text(&crash), "--shrink", "--out", text(&out)])
            .assert()
            .code(0)
            .stdout(contains("violates nothing"));
    }
    assert_eq!(files(&out).len(), 1, "the same content is written once");
    corpus(&["to-scenario", text(&crash), "--variant", "published", "--out", text(&out)])
        .assert()
        .code(0);
    let names: Vec<_> =
        files(&out).iter().map(|file| file.file_name().unwrap().to_owned()).collect();
    assert_eq!(names, ["crash-1-2.json", "crash-1.json"]);
    let expected = |name: &str| Scenario::read(&out.join(name)).unwrap().expectation.unwrap();
    assert_eq!(expected("crash-1.json"), highwater::scenario::Expectation::Clean);
    assert_ne!(expected("crash-1-2.json"), highwater::scenario::Expectation::Clean);
}

#[test]
fn scenarios_become_inputs_and_the_same_scenarios_again() {
    let folder = tempfile::tempdir().unwrap();
    let (bytes, again) = (folder.path().join("bytes"), folder.path().join("again"));
    let scenarios: Vec<_> = files(&project("corpus/regressions"))
        .into_iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "json"))
        // An input is of the model isr.
        .filter(|file| !text(file.file_name().unwrap().as_ref()).starts_with("kip-"))
        .collect();
    assert!(scenarios.len() >= 45);
    let other = project("corpus/regressions/kip-101-weak-isr.json");
    let refused = corpus(&["from-scenario", "--out", text(&bytes), text(&other)]).assert().code(2);
    refused.stderr(contains("kip-101-weak-isr.json").and(contains("model isr is wanted")));
    corpus(&["from-scenario", "--out", text(&bytes)]).args(&scenarios).assert().code(0);
    corpus(&["to-scenario", "--out", text(&again)]).args(files(&bytes)).assert().code(0);
    // What differs in its expectation alone is one input.
    let inputs = |files: &[PathBuf]| {
        let inputs = files.iter().map(|file| {
            let Scenario { settings, operations, .. } = Scenario::read(file).unwrap();
            FuzzInput { settings, operations }.encode().unwrap()
        });
        inputs.collect::<BTreeSet<_>>()
    };
    assert_eq!(inputs(&files(&again)), inputs(&scenarios));
    assert_eq!(files(&again).len(), inputs(&scenarios).len());
    assert!(files(&again).len() > 30);
}

#[test]
fn minimizing_keeps_what_is_covered_and_leaves_alone_what_it_must() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let covered = || {
        let inputs = files(folder)
            .into_iter()
            .filter_map(|file| FuzzInput::decode(&std::fs::read(file).unwrap()).ok());
        let clean = inputs.map(|input| Coverage::of(&input)).filter(|coverage| coverage.is_clean);
        clean.flat_map(|coverage| coverage.features).collect::<BTreeSet<_>>()
    };
    for seed in files(&project("corpus/isr_ops")).iter().take(40) {
        let mut bytes = std::fs::read(seed).unwrap();
        std::fs::copy(seed, folder.join(seed.file_name().unwrap())).unwrap();
        bytes.extend([4, 0, 0, 0, 4, 0, 0, 0]);
        std::fs::write(folder.join(seed.file_name().unwrap()).with_extension("longer"), bytes)
            .unwrap();
    }
    std::fs::write(folder.join("old"), [0; 40]).unwrap();
    let regression = project("corpus/regressions/published-recovery-replica-stays-out.json");
    corpus(&["from-scenario", text(&regression), "--out", text(folder)]).assert().code(0);
    let before = covered();
    corpus(&["minimize", text(folder)])
        .assert()
        .code(1)
        .stdout(contains("old: no input").and(contains("violates something")));
    assert!(folder.join("old").is_file());
    assert!(covered().is_superset(&before));
    assert!(files(folder).len() <= 42);
    let out = folder.join("out");
    let there = files(folder);
    corpus(&["minimize", text(folder), "--out", text(&out)]).assert().code(1);
    assert_eq!(files(folder).len(), there.len() + 1, "the folder itself is as it was");
}

#[test]
fn generated_seeds_depend_on_the_seed_alone_and_are_clean() {
    let generate = |seed: &str| {
        let folder = tempfile::tempdir().unwrap();
        corpus(&["generate", text(folder.path()), "--sequences", "300", "--seed", seed])
            .assert()
            .code(0)
            .stdout(contains("from 300 sequences"));
        files(folder.path()).iter().map(|file| std::fs::read(file).unwrap()).collect::<Vec<_>>()
    };
    let one = generate("1");
    assert!(one.len() > 10);
    assert_eq!(one, generate("1"));
    assert_ne!(one, generate("2"));
    assert!(one.iter().all(|bytes| Coverage::of(&FuzzInput::decode(bytes).unwrap()).is_clean));
}

#[test]
fn bad_input_is_refused_with_file_and_reason_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("old"), [0; 40]).unwrap();
    std::fs::write(at("short"), [1; 5]).unwrap();
    std::fs::write(at("empty"), []).unwrap();
    let long =
        r#"{"format":"isr-scenario/1","config":{"nodes":["a","b"],"ack_timeout":999},"ops":[]}"#;
    std::fs::write(at("long.json"), long).unwrap();
    let out = at("out");
    let good = crash(folder.path());
    for (name, reason) in [
        ("old", "its version is 0"),
        ("short", "5 bytes are too few"),
        ("empty", "0 bytes are too few"),
        ("none", "cannot be read"),
    ] {
        corpus(&["to-scenario", text(&good), text(&at(name)), "--out", text(&out)])
            .assert()
            .code(2)
            .stderr(contains(name).and(contains(reason)));
        assert!(!out.exists(), "{name}");
    }
    corpus(&["from-scenario", text(&at("long.json")), "--out", text(&out)])
        .assert()
        .code(2)
        .stderr(contains("long.json: at config.ack_timeout: 999 is beyond 64"));
    assert!(!out.exists());
    corpus(&["to-scenario", text(&good), "--without", "epoch-check"]).assert().code(2);
    corpus(&["to-scenario", text(&good), "--variant", "published", "--without", "one-catch-up"])
        .args(["--out", text(&out)])
        .assert()
        .code(2)
        .stderr(contains("published has no guard one-catch-up"));
    corpus(&["minimize", text(&at("nowhere"))]).assert().code(2).stderr(contains("nowhere"));
    let nothing = at("nothing");
    std::fs::create_dir(&nothing).unwrap();
    corpus(&["minimize", text(&nothing)]).assert().code(2).stderr(contains("no clean inputs"));
}
