//! Counterexamples of the models of Kafka's history, told step by step.

use crate::explore::Counterexample;
use crate::kip::{AsyncIsrModel, AsyncIsrSettings, KipModel, KipSettings, KipState, Preset, Step};
use crate::model::Model;
use crate::report::{Subject, Told};
use comfy_table::{Table, presets};
use highwater_invariants::{KeyId, Names, NodeId, Unobserved, ValueId, View};

/// Replicas are called r1, r2 and so on.
struct ReplicaNames;

impl Names for ReplicaNames {
    fn node(&self, node: NodeId) -> String {
        name(node.index() as u8)
    }

    fn key(&self, key: KeyId) -> String {
        key.0.to_string()
    }

    fn value(&self, value: ValueId) -> String {
        value.index().to_string()
    }
}

fn name(replica: u8) -> String {
    format!("r{}", replica + 1)
}

/// A step in words.
fn in_words(step: Step) -> String {
    match step {
        Step::ControllerShrinkIsr { replica } => {
            format!("the controller takes {} out of the ISR", name(replica))
        }
        Step::ControllerElectLeader { replica } => {
            format!("the controller elects {}", name(replica))
        }
        Step::BecomeLeader { epoch } => format!("the leader of epoch {epoch} learns that it leads"),
        Step::LeaderExpandIsr { leader, replica } => {
            format!("{} takes {} into the ISR", name(leader), name(replica))
        }
        Step::LeaderShrinkIsr { leader, replica } => {
            format!("{} takes {} out of the ISR", name(leader), name(replica))
        }
        Step::LeaderWrite { leader } => format!("{} appends a record", name(leader)),
        Step::LeaderAdvanceHw { leader } => format!("{} advances its HW", name(leader)),
        Step::BecomeFollower { replica, epoch } => {
            format!("{} follows the leader of epoch {epoch}", name(replica))
        }
        Step::FollowerFetch { follower, leader } => {
            format!("{} fetches from {}", name(follower), name(leader))
        }
        Step::FollowerTruncate { follower, leader } => {
            format!("{} cuts its log to what {} has", name(follower), name(leader))
        }
    }
}

/// What is explored.
pub fn kip_subject(preset: Preset, settings: &KipSettings, without: &[String]) -> Subject {
    let off: Vec<_> = without.iter().map(|name| format!(" without {name}")).collect();
    let off = off.concat();
    Subject {
        model: preset.to_string(),
        rules: format!("{preset}{off}"),
        configuration: format!(
            "{} replicas, log size {}, {} records, last leader epoch {}",
            settings.replicas, settings.log_size, settings.max_records, settings.max_leader_epoch
        ),
    }
}

/// A counterexample, step by step, with the state after each.
pub fn tell_kip(settings: &KipSettings, counterexample: &Counterexample<KipModel>) -> Told {
    let mut state = KipModel.initial(settings);
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    let replicas = (0..settings.replicas as u8).map(name);
    let header = ["", "step", "leader", "epoch", "ISR"].map(str::to_owned);
    table.set_header(header.into_iter().chain(replicas));
    for (number, &step) in (1..).zip(&counterexample.operations) {
        KipModel.apply(&mut state, step, &mut Unobserved);
        let nodes = |nodes: highwater_invariants::NodeSet| {
            nodes.iter().map(|node| name(node.index() as u8)).collect::<Vec<_>>().join(" ")
        };
        let leader = state.leader().map_or("-".into(), |leader| name(leader.index() as u8));
        let epoch = state.leader_epoch().0.checked_sub(1).map_or("-".into(), |it| it.to_string());
        let row = [number.to_string(), in_words(step), leader, epoch, nodes(View::isr(&state))];
        let replicas = View::nodes(&state).iter().map(|node| replica_in_words(&state, node));
        table.add_row(row.into_iter().chain(replicas));
    }
    let violation = &counterexample.failure.violation;
    let operations: Vec<_> = counterexample.operations.iter().copied().map(in_words).collect();
    let text = format!(
        "{table}\n(each replica: L if it believes that it leads, its records as id@epoch, HW)\n\n\
         VIOLATED {} after {} steps\n  {}\n  ({})\n",
        violation.invariant.name(),
        operations.len(),
        violation.evidence.in_words(&ReplicaNames),
        violation.invariant.statement(),
    );
    Told { invariant: violation.invariant, operations, text, scenario: None }
}

fn replica_in_words(state: &KipState, node: NodeId) -> String {
    let belief = state.belief(node);
    let leads = if belief.is_some_and(|belief| belief.leads) { "L " } else { "" };
    let records: Vec<_> = state.records(node).map(|(id, epoch)| format!("{id}@{epoch}")).collect();
    format!("{leads}[{}] HW {}", records.join(" "), state.applied_high_watermark(node))
}

impl Subject {
    /// What is explored, for `kip:async-isr`.
    pub fn of_async_isr(settings: &AsyncIsrSettings) -> Self {
        Self {
            model: AsyncIsrModel::NAME.into(),
            rules: format!("{}, HW over {:?}", AsyncIsrModel::NAME, settings.hw_over),
            configuration: format!(
                "{} replicas, offsets to {}, versions to {}",
                settings.replicas, settings.max_offset, settings.max_version
            ),
        }
    }
}

impl Told {
    /// A counterexample of `kip:async-isr`.
    pub fn of_async_isr(counterexample: &Counterexample<AsyncIsrModel>) -> Self {
        let violation = &counterexample.failure.violation;
        let operations: Vec<_> =
            counterexample.operations.iter().map(|step| format!("{step:?}")).collect();
        let numbered =
            (1..).zip(&operations).map(|(number, step)| format!("{number:>3}  {step}\n"));
        let text = format!(
            "{}\nVIOLATED {} after {} steps\n  {}\n  ({})\n",
            numbered.collect::<String>(),
            violation.invariant.name(),
            operations.len(),
            violation.evidence.in_words(&ReplicaNames),
            violation.invariant.statement(),
        );
        Self { invariant: violation.invariant, operations, text, scenario: None }
    }
}
