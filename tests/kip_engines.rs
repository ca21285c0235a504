//! The models of Kafka's history under every engine but exploration, which has tests of its own.

use assert_cmd::Command;
use highwater::kip::{
    AsyncIsrModel, HwOver, KipModel, KipSettings, Preset, StepScenario, Stepwise,
};
use highwater::model::Model;
use highwater::run::run;
use highwater::scenario::{AnyScenario, ScenarioFile};
use highwater::search::shrink::{Shrinker, Target};
use highwater::search::{Source, Walk};
use highwater::strategy;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use proptest::prelude::*;
use std::path::Path;

fn highwater() -> Command {
    Command::cargo_bin("highwater").unwrap()
}

fn settings(preset: Preset) -> KipSettings {
    let rules = preset.rules();
    KipSettings { replicas: 2, log_size: 2, max_records: 2, max_leader_epoch: 2, rules }
}

#[test]
fn search_finds_what_replay_confirms_and_shrink_cannot_shorten() {
    let folder = tempfile::tempdir().unwrap();
    let search = |model: &str, code: i32| {
        let mut command = highwater();
        let size = ["--replicas", "2", "--max-leader-epoch", "2", "--sequences", "300000"];
        command.args(["search", "--model", model]).args(size).arg("--out").arg(folder.path());
        command.assert().code(code)
    };
    search("kip:101", 1).stdout(contains("VIOLATED"));
    let files: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().path()).collect();
    assert!(!files.is_empty());
    for file in &files {
        highwater().arg("replay").arg(file).assert().code(0).stdout(contains("as expected"));
        let mut shrink = highwater();
        shrink.args(["shrink", "--certify"]).arg(file).arg("--out").arg(folder.path());
        shrink.assert().code(0).stdout(contains("certified"));
    }
    search("kip:279", 0).stdout(contains("clean: variant kip:279"));
}

#[test]
fn a_search_gives_the_same_on_any_number_of_threads_and_shards_merge() {
    let folder = tempfile::tempdir().unwrap();
    let search = |arguments: &[&str]| {
        let mut command = highwater();
        command.args(["search", "--model", "kip:async-isr", "--hw-over", "proposed", "--json"]);
        command.args(["--sequences", "4000", "--keep-going", "--out"]).arg(folder.path());
        let output = command.args(arguments).assert().code(1).get_output().stdout.clone();
        let mut json: serde_json::Value = serde_json::from_slice(&output).unwrap();
        json["timing"] = serde_json::Value::Null;
        json
    };
    let one = search(&["--threads", "1"]);
    assert_eq!(one, search(&["--threads", "3"]));
    assert_eq!(one["options"]["configuration"]["hw_over"], "proposed");
    let mut files = Vec::new();
    for shard in ["1/2", "2/2"] {
        let file = folder.path().join(format!("shard-{}.json", &shard[..1]));
        let mut part = search(&["--shard", shard]);
        part["timing"] = serde_json::json!({"seconds": 1.0, "operations_per_second": 1.0});
        std::fs::write(&file, part.to_string()).unwrap();
        files.push(file);
    }
    let merged = highwater().args(["report", "merge", "--json"]).args(&files).assert().code(1);
    let mut merged: serde_json::Value =
        serde_json::from_slice(&merged.get_output().stdout).unwrap();
    merged["timing"] = serde_json::Value::Null;
    assert_eq!(merged, one);
    // What was searched otherwise is not the same search.
    let mut other: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&files[1]).unwrap()).unwrap();
    other["options"]["configuration"]["replicas"] = 4.into();
    std::fs::write(&files[1], other.to_string()).unwrap();
    highwater().args(["report", "merge"]).args(&files).assert().code(2);
}

#[test]
fn what_was_not_checked_is_no_part_of_a_clean_verdict() {
    let size = ["--replicas", "2", "--max-leader-epoch", "2"];
    let mut explore = highwater();
    explore.args(["explore", "--model", "kip:101", "--invariant", "leader-in-isr"]).args(size);
    explore.assert().code(0).stdout(
        contains("NOT CHECKED: weak-isr, strong-isr")
            .and(contains("exhausted: clean of leader-in-isr, kip:101")),
    );
}

#[cfg(unix)]
#[test]
fn a_link_to_nowhere_is_left_alone_and_does_not_stop_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/regressions/kip-101-weak-isr.json");
    let shrink = || {
        let mut command = highwater();
        let output = command.args(["shrink", "--json", file, "--out"]).arg(folder.path()).assert();
        let output = output.code(0).get_output().stdout.clone();
        let json: serde_json::Value = serde_json::from_slice(&output).unwrap();
        std::path::PathBuf::from(json["file"].as_str().unwrap())
    };
    let first = shrink();
    std::fs::remove_file(&first).unwrap();
    std::os::unix::fs::symlink("nowhere", &first).unwrap();
    let second = shrink();
    assert_ne!(first, second);
    assert!(first.is_symlink() && second.is_file());
}

#[test]
fn every_rule_is_needed_and_what_is_broken_anyway_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let ablate = |model: &str, code: i32| {
        let mut command = highwater();
        command.args(["ablate", "--model", model, "--out"]).arg(folder.path());
        if model != "kip:async-isr" {
            command.args(["--max-leader-epoch", "2"]);
        }
        command.assert().code(code)
    };
    ablate("kip:320", 0).stdout(contains("6 of 6 guards caught"));
    ablate("kip:async-isr", 0).stdout(contains("2 of 2 guards caught"));
    ablate("kip:101", 2).stderr(contains("kip:101 itself violates"));
}

/// Shrinks the first violation that a walk finds; the shrunk case still fails in the same way.
fn shrinks<M: Stepwise>(settings: M::Settings) {
    let source = Walk::new(M::default(), settings, 20..=40);
    let mut walk = Vec::new();
    let failing = (0..1_000_000).find_map(|index| {
        source.draw(0, index, &mut walk);
        let verdict = run(&M::default(), &settings, &walk, M::APPLICABLE);
        verdict.failures.first().cloned()
    });
    let target = Target::of(&failing.expect("a walk fails"));
    let model = M::default();
    let mut shrinker = Shrinker::new(&model, target, || true);
    let case = shrinker.shrink(&settings, &walk).expect("it still fails");
    assert!(case.operations.len() <= walk.len());
    assert!(M::complexity(&case.settings, &case.operations) <= M::complexity(&settings, &walk));
    for &step in &case.operations {
        M::check_step(&case.settings, step).unwrap();
    }
    let verdict = run(&model, &case.settings, &case.operations, M::APPLICABLE);
    assert!(verdict.failures.iter().any(|failure| Target::of(failure) == target));
    for index in 0..case.operations.len() {
        let mut shorter = case.operations.clone();
        shorter.remove(index);
        assert!(shrinker.try_case(&case.settings, &shorter).is_none(), "step {index} can go");
    }
}

#[test]
fn shrinking_leaves_nothing_that_can_go() {
    shrinks::<KipModel>(KipSettings { replicas: 4, ..settings(Preset::TruncateToHw) });
    shrinks::<KipModel>(settings(Preset::Kip101));
    let async_isr = |hw_over| highwater::kip::AsyncIsrSettings {
        replicas: 4,
        max_offset: 3,
        max_version: 3,
        hw_over,
    };
    shrinks::<AsyncIsrModel>(async_isr(HwOver::Committed));
    shrinks::<AsyncIsrModel>(async_isr(HwOver::Proposed));
}

/// A walk is written, read and run as the same; blind sequences are refused where they do not apply,
/// and never panic.
fn round_trip<M: Stepwise>(settings: M::Settings, steps: Vec<M::Operation>) {
    let scenario = StepScenario::<M>::new(settings, steps);
    let text = scenario.to_json();
    let again = StepScenario::<M>::parse(Path::new("walk.json"), text.as_bytes()).unwrap();
    assert_eq!(again.to_json(), text);
    assert_eq!(again.operations, scenario.operations);
    assert!(again.settings == scenario.settings);
    let (one, other) = (scenario.run(M::APPLICABLE), again.run(M::APPLICABLE));
    assert_eq!(one, other);
    assert_eq!(one.operations, scenario.operations.len());
    // The other models must not take it for theirs.
    assert!(matches!(
        AnyScenario::parse(Path::new("walk.json"), text.as_bytes()).unwrap().model(),
        model if model == M::name_of(&settings)
    ));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn walks_are_taken_and_survive_their_files(
        preset in prop::sample::select(Preset::ALL.to_vec()),
        without in prop::sample::subsequence(highwater::kip::Rules::NAMES.to_vec(), 0..=2),
        steps in strategy::walk(KipModel, settings(Preset::Kip101), 0..=40),
    ) {
        let rules = without.iter().fold(preset.rules(), |rules, name| rules.without(name).unwrap());
        // Steps of another preset: some are not enabled here.
        round_trip::<KipModel>(KipSettings { rules, ..settings(preset) }, steps);
    }

    #[test]
    fn walks_of_async_isr_survive_their_files(
        hw_over in prop::sample::select(HwOver::ALL.to_vec()),
        steps in strategy::walk(AsyncIsrModel, ASYNC, 0..=40),
    ) {
        let settings = highwater::kip::AsyncIsrSettings { hw_over, ..ASYNC };
        round_trip::<AsyncIsrModel>(settings, steps);
    }

    #[test]
    fn all_steps_of_a_walk_are_enabled(
        steps in strategy::walk(KipModel, settings(Preset::Kip320), 1..=40),
    ) {
        let mut state = KipModel.initial(&settings(Preset::Kip320));
        for step in steps {
            let outcome = KipModel.apply(&mut state, step, &mut highwater::invariants::Unobserved);
            prop_assert!(!KipModel::is_refusal(outcome), "{step:?}");
        }
    }
}

const ASYNC: highwater::kip::AsyncIsrSettings = highwater::kip::AsyncIsrSettings {
    replicas: 3,
    max_offset: 2,
    max_version: 2,
    hw_over: HwOver::Both,
};

#[test]
fn a_bad_file_is_refused_with_file_place_and_reason() {
    let folder = tempfile::tempdir().unwrap();
    let good = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/corpus/regressions/kip-101-weak-isr.json"
    ))
    .unwrap();
    let replay = |content: &str, words: &[&str]| {
        let file = folder.path().join("bad.json");
        std::fs::write(&file, content).unwrap();
        let assert = highwater().arg("replay").arg(&file).assert().code(2);
        words.iter().fold(assert.stderr(contains("bad.json")), |assert, word| {
            assert.stderr(contains(*word).and(contains("panicked").not()))
        });
    };
    let with = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replacen(from, to, 1)
    };
    replay(&with("kip-scenario/1", "kip-scenario/2"), &["format", "kip-scenario/1"]);
    replay(&with("kip:101", "kip:102"), &["model", "kip:102", "kip:320"]);
    replay(&with("weak-isr", "acked-durability"), &["expect.invariant", "does not speak"]);
    replay(&with("weak-isr", "weak"), &["expect.invariant", "unknown"]);
    replay(&with("\"replicas\":2", "\"replicas\":9"), &["config", "9", "1 to 4"]);
    replay(&with("\"replicas\":2", "\"replicas\":1"), &["ops[", "there is no r2"]);
    replay(&with("\"replicas\":2", "\"replica\":2"), &["config", "replica"]);
    replay(&with("\"r2\"", "\"r7\""), &["ops[", "r7"]);
    replay(&with("\"r2\"", "\"r02\""), &["ops[", "r02"]);
    replay(&with("\"epoch\":0", "\"epoch\":5"), &["ops[", "beyond the last"]);
    replay(&with("leader_write", "leader_wrote"), &["ops[", "leader_wrote"]);
    replay(&with("\"op\":\"leader_write\"", "\"op\":\"leader_write\",\"x\":1"), &["ops[", "x"]);
    replay(
        &with("\"config\"", "\"without\":[\"gravity\"],\n  \"config\""),
        &["without[0]", "gravity"],
    );
    replay(&format!("{good}x"), &["follows the end"]);
    let cut = &good[..good.find("become_follower").unwrap()];
    replay(cut, &["EOF while parsing"]);
    replay(&with("leader_write", "leader_\\u202ewrote"), &["ops["]);
    let mut other = highwater();
    other.args(["search", "--model", "kip:101", "--profile", "power-loss"]).assert().code(2);
    // What means nothing to a model is not passed over.
    for (command, option) in [
        (&["explore", "--replicas", "2"][..], "--replicas"),
        (&["explore", "--model", "kip:320", "--nodes", "2"], "--nodes"),
        (&["search", "--variant", "hardened", "--max-offset", "2"], "--max-offset"),
        (&["search", "--model", "kip:async-isr", "--log-size", "2"], "--log-size"),
        (&["ablate", "--model", "kip:320", "--hw-over", "both"], "--hw-over"),
    ] {
        let refused = highwater().args(command).assert().code(2);
        refused.stderr(contains(option).and(contains("means nothing")));
    }
    let mut other = highwater();
    other.args(["search", "--model", "kip:101", "--weights", "write=1"]).assert().code(2);
    let mut other = highwater();
    let other = other.args(["search", "--model", "kip:320", "--variant", "hardened"]).assert();
    other.code(2).stderr(contains("--variant"));
}
