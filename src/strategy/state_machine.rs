//! The partition as the reference of a proptest state machine: for holding an implementation of
//! one's own against it.

use crate::isr::{IsrModel, Operation, Partition, Rules, Settings};
use crate::model::Model;
use crate::strategy::operation;
use highwater_invariants::Unobserved;
use proptest::prelude::*;
use proptest_state_machine::ReferenceStateMachine;

/// A partition of the `published` variant with the reference simulator's defaults and three nodes.
///
/// An implementation under test answers the same [`Operation`]s; what the reference answers is what
/// [`Model::apply`] gives on the state before the transition.
#[derive(Clone, Copy, Debug)]
pub struct IsrReference;

impl IsrReference {
    /// The configuration of the reference.
    ///
    /// # Panics
    /// Never: the defaults are a valid configuration.
    pub fn settings() -> Settings {
        let configuration = crate::isr::GroupConfiguration::default();
        let limits = configuration.limits_for_engines();
        configuration.check(Rules::default(), limits).expect("the defaults are valid")
    }
}

impl ReferenceStateMachine for IsrReference {
    type State = Partition;
    type Transition = Operation;

    fn init_state() -> BoxedStrategy<Partition> {
        Just(IsrModel::default().initial(&Self::settings())).boxed()
    }

    fn transitions(_state: &Partition) -> BoxedStrategy<Operation> {
        operation(Self::settings().nodes).boxed()
    }

    fn apply(mut state: Partition, transition: &Operation) -> Partition {
        IsrModel::default().apply(&mut state, *transition, &mut Unobserved);
        state
    }

    /// Any operation may come at any time: what does not apply is refused. A storm ends the test.
    fn preconditions(state: &Partition, _transition: &Operation) -> bool {
        !state.is_halted()
    }
}
