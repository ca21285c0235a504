//! The seeds of the fuzz targets go through the very functions that the targets call, so that they
//! cannot rot; and bytes and scenarios convert both ways without loss.

use arbitrary::{Arbitrary, Unstructured};
use highwater::fuzz::{
    Coverage, Feature, Fuzzed, differential, features_of, isr_ops, minimize, scenario_file,
};
use highwater::invariants::{InvariantId, Selection};
use highwater::isr::{Branch, IsrModel, Operation, Rules, Variant};
use highwater::run::run;
use highwater::scenario::fuzz_input::{FUZZ_INPUT_VERSION, FuzzInput, NotAnInput, mutate};
use highwater::scenario::{Dice, Expectation, Scenario};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const HARDENED: Rules = Rules::of(Variant::Hardened);

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder);
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn seeds() -> Vec<(PathBuf, Vec<u8>)> {
    let seeds: Vec<_> = files("isr_ops")
        .into_iter()
        .map(|file| {
            let bytes = std::fs::read(&file).unwrap();
            (file, bytes)
        })
        .collect();
    assert!(seeds.len() > 100, "{} seeds", seeds.len());
    seeds
}

fn regressions() -> Vec<Scenario> {
    let files = files("regressions")
        .into_iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "json"))
        // An input is of the model isr.
        .filter(|file| !file.file_name().unwrap().to_string_lossy().starts_with("kip-"));
    let scenarios: Vec<_> = files.map(|file| Scenario::read(&file).unwrap()).collect();
    assert!(scenarios.len() >= 45, "{} scenarios", scenarios.len());
    scenarios
}

fn input(scenario: &Scenario) -> FuzzInput {
    FuzzInput { settings: scenario.settings, operations: scenario.operations.clone() }
}

fn parse(json: &str) -> Scenario {
    Scenario::parse(Path::new("test"), json.as_bytes()).unwrap()
}

fn not_asked() -> String {
    panic!("only a bug asks for the artifact")
}

#[test]
fn every_seed_has_the_current_version_and_its_canonical_bytes() {
    for (file, bytes) in seeds() {
        assert_eq!(
            bytes.first(),
            Some(&FUZZ_INPUT_VERSION),
            "{}: made for another version of the input shape; make new seeds with \
             `highwater corpus generate`",
            file.display()
        );
        let input = FuzzInput::decode(&bytes).unwrap();
        assert_eq!(input.encode().unwrap(), bytes, "{}", file.display());
        assert_eq!(input.settings.rules, HARDENED, "{}", file.display());
    }
}

#[test]
fn every_target_takes_every_seed_and_finds_nothing() {
    for (file, bytes) in seeds() {
        assert_eq!(
            isr_ops::fuzz(&bytes, HARDENED, not_asked),
            Ok(Fuzzed::Ran),
            "{}",
            file.display()
        );
        assert_eq!(differential::fuzz(&bytes), Ok(Fuzzed::Ran), "{}", file.display());
        assert_eq!(scenario_file::fuzz(&bytes), Ok(Fuzzed::Ran), "{}", file.display());
    }
}

#[test]
fn seeds_become_scenarios_and_the_same_bytes_again_with_the_same_verdict() {
    for (file, bytes) in seeds() {
        let decoded = FuzzInput::decode(&bytes).unwrap();
        let scenario = parse(&isr_ops::scenario(&decoded).to_json());
        assert_eq!(input(&scenario), decoded, "{}", file.display());
        assert_eq!(input(&scenario).encode().unwrap(), bytes, "{}", file.display());
        let verdict = isr_ops::verdict_of(&decoded);
        assert_eq!(isr_ops::verdict_of(&input(&scenario)), verdict, "{}", file.display());
        assert_eq!(scenario.expectation, Some(Expectation::Clean), "{}", file.display());
    }
}

#[test]
fn regressions_become_bytes_and_scenarios_again_with_the_same_verdict() {
    for scenario in regressions() {
        let bytes = input(&scenario).encode().unwrap();
        let decoded = FuzzInput::decode(&bytes).unwrap();
        assert_eq!(decoded.encode().unwrap(), bytes, "{}", scenario.name);
        assert_eq!(decoded.settings.rules, scenario.settings.rules);
        let verdict = isr_ops::verdict_of(&decoded);
        let expectation = scenario.expectation.unwrap();
        assert!(expectation.is_met_by(&verdict), "{}", scenario.to_json());
        assert_eq!(differential::fuzz(&bytes), Ok(Fuzzed::Ran));
        assert_eq!(scenario_file::fuzz(scenario.to_json().as_bytes()), Ok(Fuzzed::Ran));
    }
}

#[test]
fn the_seeds_cover_every_operation_every_invariant_and_every_branch_that_hardened_has() {
    let inputs = seeds().into_iter().map(|(_, bytes)| FuzzInput::decode(&bytes).unwrap());
    let features: BTreeSet<_> = inputs.flat_map(|input| Coverage::of(&input).features).collect();
    for (kind, name) in (0_u8..).zip(Operation::NAMES) {
        let is_of_kind = |feature: &Feature| matches!(feature, Feature::Answer { kind: other, .. } if *other == kind);
        assert!(features.iter().any(is_of_kind), "{name}");
    }
    for invariant in InvariantId::ALL {
        assert!(features.contains(&Feature::Premise(invariant)), "{}", invariant.name());
    }
    let missed: Vec<_> = (0_u8..)
        .zip(Branch::WORDS)
        .filter(|&(number, _)| !features.contains(&Feature::Branch(number)))
        .map(|(_, name)| *name)
        .collect();
    assert_eq!(missed, CANNOT_BE_REACHED);
}

/// One epoch has one leader, and only that sends: see `tests/reach.rs`.
const CANNOT_BE_REACHED: &[&str] = &["packet rejected: not from the current leader"];

#[test]
fn a_violation_is_told_with_its_scenario_and_the_command_that_shrinks_it() {
    let published = Rules::of(Variant::Published);
    let mut found = 0;
    for scenario in regressions().iter().filter(|case| case.settings.rules == published) {
        let bytes = input(scenario).encode().unwrap();
        let bug = isr_ops::fuzz(&bytes, published, || "crash-1".into()).unwrap_err();
        assert!(bug.contains("highwater corpus to-scenario crash-1 --variant published --shrink"));
        let start = bug.find("\n{\n").unwrap();
        let end = bug.find("\n}\n").unwrap() + 3;
        let told = parse(&bug[start..end]);
        assert!(told.expectation.unwrap().is_met_by(&isr_ops::verdict_of(&input(&told))));
        found += 1;
    }
    assert!(found > 20);
}

#[test]
fn the_rules_that_are_asked_for_go_before_those_of_the_input() {
    let violating =
        regressions().into_iter().find(|case| case.settings.rules.without.is_empty()).unwrap();
    let bytes = input(&violating).encode().unwrap();
    assert!(isr_ops::fuzz(&bytes, violating.settings.rules, String::new).is_err());
    assert_eq!(isr_ops::fuzz(&bytes, HARDENED, not_asked), Ok(Fuzzed::Ran));
}

#[test]
fn what_is_no_input_is_refused_with_a_reason() {
    let short = [FUZZ_INPUT_VERSION, 1, 0, 0];
    assert_eq!(FuzzInput::decode(&[]), Err(NotAnInput::TooShort(0)));
    assert_eq!(FuzzInput::decode(&short), Err(NotAnInput::TooShort(4)));
    let other = FUZZ_INPUT_VERSION + 1;
    assert_eq!(FuzzInput::decode(&[other; 64]), Err(NotAnInput::Version(other)));
    for bytes in [&[][..], &short, &[other; 64]] {
        assert_eq!(isr_ops::fuzz(bytes, HARDENED, not_asked), Ok(Fuzzed::NotAnInput));
        assert!(FuzzInput::arbitrary(&mut Unstructured::new(bytes)).is_err());
    }
}

#[test]
fn what_an_input_cannot_say_is_refused_with_its_place() {
    let ops = |count: usize| vec![r#"{"op":"tick"}"#; count].join(",");
    let of_keys = |count: usize| {
        let reads =
            (0..count).map(|key| format!(r#"{{"op":"read","key":"{key}","level":"LEADER"}}"#));
        reads.collect::<Vec<_>>().join(",")
    };
    let cases = [
        (r#""ack_timeout":65"#, ops(1), "config.ack_timeout"),
        (r#""replication_delay":17"#, ops(1), "config.replication_delay"),
        (r#""lease_duration":65"#, ops(1), "config.lease_duration"),
        (r#""seed":0"#, ops(257), "ops"),
        (r#""seed":0"#, of_keys(17), "ops[16].key"),
        (r#""seed":0"#, r#"{"op":"drop_message","message":65}"#.into(), "ops[0].message"),
        (r#""seed":0"#, r#"{"op":"delay_message","message":0,"ticks":65}"#.into(), "ops[0].ticks"),
    ];
    for (config, ops, place) in cases {
        let json = format!(
            r#"{{"format":"isr-scenario/1","config":{{"nodes":["a","b"],{config}}},"ops":[{ops}]}}"#
        );
        let refused = input(&parse(&json)).encode().unwrap_err();
        assert_eq!(refused.place, place, "{refused}");
    }
    let fits =
        [(r#""ack_timeout":64,"lease_duration":-7"#, ops(256)), (r#""seed":0"#, of_keys(16))];
    for (config, ops) in fits {
        let json = format!(
            r#"{{"format":"isr-scenario/1","config":{{"nodes":["a","b"],{config}}},"ops":[{ops}]}}"#
        );
        assert!(input(&parse(&json)).encode().is_ok());
    }
}

#[test]
fn mutants_are_canonical_inputs_that_fit_and_follow_the_rules_that_are_fuzzed() {
    let seeds = seeds();
    let mut kinds = BTreeSet::new();
    let mut lengths = BTreeSet::new();
    let mut bytes = seeds[0].1.clone();
    for seed in 0..20_000 {
        let mut dice = Dice::new(seed, 0);
        let max_size = [13, 16, 64, 1037, 4096][seed as usize % 5];
        let rules = Rules::of(Variant::ALL[seed as usize % 2]);
        let other = &seeds[seed as usize % seeds.len()].1;
        bytes = match seed % 7 {
            0 => mutate::cross(&bytes, other, max_size, rules, &mut dice),
            1 => mutate::mutant(b"no input", max_size, rules, &mut dice),
            _ => mutate::mutant(&bytes, max_size, rules, &mut dice),
        };
        assert!(bytes.len() <= max_size);
        let input = FuzzInput::decode(&bytes).unwrap();
        assert_eq!(input.encode().unwrap(), bytes);
        assert_eq!(input.settings.rules, rules);
        kinds.extend(input.operations.iter().map(|operation| operation.kind()));
        lengths.insert(input.operations.len());
    }
    assert_eq!(kinds.len(), Operation::NAMES.len());
    assert!(lengths.contains(&0) && lengths.len() > 20, "{lengths:?}");
}

#[test]
fn minimizing_loses_no_coverage_and_does_not_depend_on_the_order() {
    let mut inputs: Vec<_> =
        seeds().into_iter().map(|(_, bytes)| FuzzInput::decode(&bytes).unwrap()).take(60).collect();
    let before = features_of(&inputs);
    // The same once more, with an operation that adds nothing.
    let longer = inputs.iter().cloned().map(|mut input| {
        input.operations.push(Operation::Tick);
        input.operations.push(Operation::Tick);
        input
    });
    inputs.extend(longer.collect::<Vec<_>>());
    let small = minimize(&inputs);
    assert!(features_of(&small).is_superset(&before));
    assert!(small.len() <= 60);
    inputs.reverse();
    assert_eq!(minimize(&inputs), small);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_an_input_with_one_canonical_spelling(mut bytes in prop::collection::vec(any::<u8>(), 13..300)) {
        bytes[0] = FUZZ_INPUT_VERSION;
        let decoded = FuzzInput::decode(&bytes).unwrap();
        let canonical = decoded.encode().unwrap();
        prop_assert_eq!(&FuzzInput::decode(&canonical).unwrap(), &decoded);
        prop_assert_eq!(FuzzInput::decode(&canonical).unwrap().encode().unwrap(), canonical);
        prop_assert_eq!(&FuzzInput::arbitrary(&mut Unstructured::new(&bytes)).unwrap(), &decoded);
        let scenario = parse(&isr_ops::scenario(&decoded).to_json());
        prop_assert_eq!(input(&scenario), decoded);
    }

    #[test]
    fn any_bytes_agree_with_themselves(mut bytes in prop::collection::vec(any::<u8>(), 13..200)) {
        bytes[0] = FUZZ_INPUT_VERSION;
        prop_assert_eq!(differential::fuzz(&bytes), Ok(Fuzzed::Ran));
        let input = FuzzInput::decode(&bytes).unwrap();
        let again = run(&IsrModel::default(), &input.settings, &input.operations, Selection::ALL);
        prop_assert_eq!(isr_ops::verdict_of(&input), again);
    }

    #[test]
    fn no_bytes_make_the_parser_panic_or_refuse_without_a_place(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert_eq!(scenario_file::fuzz(&bytes), Ok(Fuzzed::Ran));
    }
}
