//! The proptest strategies, used as a user would use them.

use highwater::invariants::{InvariantId, Selection};
use highwater::invariants::{NodeId, View};
use highwater::isr::{IsrGroup, IsrModel, Operation, Partition};
use highwater::run::run;
use highwater::scenario::Scenario;
use highwater::strategy::{self, Case};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest};

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
    assert!(scenario.expectation.unwrap().is_met_by(&again));
}

/// The partition by the door that callers use, under test against the reference.
struct GroupUnderTest;

impl StateMachineTest for GroupUnderTest {
    type SystemUnderTest = IsrGroup;
    type Reference = Offered;

    fn init_test(_reference: &Partition) -> IsrGroup {
        IsrGroup::builder().build().unwrap()
    }

    fn apply(mut group: IsrGroup, reference: &Partition, operation: Operation) -> IsrGroup {
        let name = |node: NodeId| format!("node-{}", node.index() + 1);
        let _ = match operation {
            Operation::Tick => {
                group.tick();
                Ok(())
            }
            Operation::Fsync { node } => group.fsync(&name(node)),
            Operation::Crash { node, lose_unfsynced } => group.crash(&name(node), lose_unfsynced),
            Operation::Restart { node } => group.restart(&name(node)),
            Operation::Isolate { node } => group.isolate(&name(node)),
            Operation::Heal { node } => group.heal(&name(node)),
            Operation::ControllerElect { node } => group.controller_elect(&name(node)),
            Operation::SetReplicaSlow { node, slow } => group.set_replica_slow(&name(node), slow),
            Operation::Write { key, value, ack } => {
                group.client_write(key.0.to_string(), value.index().to_string(), ack).map(drop)
            }
            Operation::Submit { key, value, ack } => {
                group.submit(key.0.to_string(), value.index().to_string(), ack).map(drop)
            }
            Operation::RunUntilIdle => group.run_until_idle().map(drop),
            _ => Ok(()),
        };
        if !reference.is_halted() {
            assert_eq!(group.high_watermark(), reference.high_watermark().0);
            assert_eq!(group.probe().leader_epoch, reference.leader_epoch().0);
            assert_eq!(group.isr().len(), reference.isr().len());
            assert_eq!(group.probe().tick, reference.now().0);
        }
        group
    }
}

proptest_state_machine::prop_state_machine! {
    #![proptest_config(Config { cases: 200, failure_persistence: None, ..Config::default() })]

    #[test]
    fn the_door_does_what_the_partition_behind_it_does(sequential 1..30 => GroupUnderTest);
}

/// The reference without the operations that the door does not offer.
struct Offered;

impl ReferenceStateMachine for Offered {
    type State = Partition;
    type Transition = Operation;

    fn init_state() -> BoxedStrategy<Partition> {
        strategy::IsrReference::init_state()
    }

    fn transitions(state: &Partition) -> BoxedStrategy<Operation> {
        let offered = |operation: &Operation| {
            !matches!(
                operation,
                Operation::DropMessage { .. }
                    | Operation::DuplicateMessage { .. }
                    | Operation::DelayMessage { .. }
                    | Operation::ReorderMessage { .. }
                    | Operation::CutLink { .. }
                    | Operation::HealLink { .. }
            )
        };
        strategy::IsrReference::transitions(state)
            .prop_filter("offered by the door", offered)
            .boxed()
    }

    fn apply(state: Partition, transition: &Operation) -> Partition {
        strategy::IsrReference::apply(state, transition)
    }

    fn preconditions(state: &Partition, transition: &Operation) -> bool {
        strategy::IsrReference::preconditions(state, transition)
    }
}
