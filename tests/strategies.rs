//! The proptest strategies, used as a user would use them.

use highwater::invariants::{InvariantId, Selection};
use highwater::isr::IsrModel;
use highwater::run::run;
use highwater::scenario::Scenario;
use highwater::strategy::{self, Case};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};

proptest! {
    #![proptest_config(Config { cases: 500, failure_persistence: None, ..Config::default() })]

    #[test]
    fn published_obeys_no_packet_of_another_epoch_and_serves_what_its_logs_say(case in strategy::scenario(1..=30)) {
        let selection = Selection::only(InvariantId::StaleEpochRejection).with(InvariantId::CommittedDataReplay);
        let verdict = run(&IsrModel::default(), &case.settings, &case.operations, selection);
        prop_assert!(verdict.failures.is_empty(), "{:?}", verdict.failures);
    }

    #[test]
    fn every_settings_that_is_drawn_is_one_that_a_partition_accepts(settings in strategy::settings()) {
        prop_assert!(settings.nodes >= 2 && (1..=settings.nodes).contains(&settings.min_insync_replicas));
        prop_assert!(settings.replica_lag_timeout_ticks > 0 && settings.ack_timeout_ticks > 0);
    }
}

/// Lets proptest find and shrink a violation of `invariant`.
fn find(invariant: InvariantId) -> Case {
    let config = Config { cases: 20_000, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(
            proptest::test_runner::RngAlgorithm::ChaCha,
        ),
    );
    let result = runner.run(&strategy::scenario(1..=30), |case| {
        let verdict =
            run(&IsrModel::default(), &case.settings, &case.operations, Selection::only(invariant));
        prop_assert!(verdict.failures.is_empty());
        Ok(())
    });
    match result {
        Err(TestError::Fail(_, case)) => case,
        other => panic!("nothing was found: {other:?}"),
    }
}

#[test]
fn a_failure_that_proptest_finds_is_kept_as_a_scenario_that_replays() {
    let case = find(InvariantId::CommittedPrefixAgreement);
    let selection = Selection::only(InvariantId::CommittedPrefixAgreement);
    let verdict = run(&IsrModel::default(), &case.settings, &case.operations, selection);
    let folder = tempfile::tempdir().unwrap();
    let file = strategy::persist(&case, &verdict.failures[0], folder.path()).unwrap();
    let scenario = Scenario::read(&file).unwrap();
    assert!(scenario.operations.len() <= case.operations.len().max(5));
    let again = run(&IsrModel::default(), &scenario.settings, &scenario.operations, selection);
    assert!(scenario.expectation.unwrap().is_met_by(&again.failures));
}
