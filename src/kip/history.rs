//! Files, words and pictures of the models `kip:truncate-to-hw` to `kip:320`.

use crate::kip::model::KipModel;
use crate::kip::names::{name, names, require_known};
use crate::kip::rules::{Preset, Rules};
use crate::kip::state::{KipSettings, KipState, NOBODY, Replica};
use crate::kip::step::Step;
use crate::kip::stepwise::Stepwise;
use crate::picture::{LogEntry, NodePicture};
use highwater_invariants::{InvariantId, Selection, View};
use serde::{Deserialize, Serialize};

/// The constants in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KipConfiguration {
    replicas: usize,
    log_size: u8,
    max_records: u8,
    max_leader_epoch: u8,
}

impl Stepwise for KipModel {
    type Configuration = KipConfiguration;

    /// Every specification's invariants but the one of `AsyncIsr`.
    const APPLICABLE: Selection = Selection::SPECIFIED.without(InvariantId::ValidHighWatermark);

    fn name_of(settings: &KipSettings) -> &'static str {
        settings.rules.preset.command_line_name()
    }

    fn rules_of(settings: &KipSettings) -> String {
        settings.rules.to_string()
    }

    fn without(settings: &KipSettings) -> Vec<&'static str> {
        settings.rules.off().collect()
    }

    fn configuration(settings: &KipSettings) -> KipConfiguration {
        let KipSettings { replicas, log_size, max_records, max_leader_epoch, .. } = *settings;
        KipConfiguration { replicas, log_size, max_records, max_leader_epoch }
    }

    fn configuration_in_words(settings: &KipSettings) -> Vec<(&'static str, String)> {
        vec![
            ("replicas", settings.replicas.to_string()),
            ("log size", settings.log_size.to_string()),
            ("records", settings.max_records.to_string()),
            ("last leader epoch", settings.max_leader_epoch.to_string()),
        ]
    }

    fn settings(
        model: &str,
        without: &[String],
        configuration: KipConfiguration,
    ) -> Result<KipSettings, (String, String)> {
        let Some(preset) = Preset::from_name(model) else {
            let known = Preset::ALL.map(Preset::command_line_name).join(", ");
            return Err(("model".into(), format!("unknown model {model:?}; known are {known}")));
        };
        let mut rules = preset.rules();
        for (index, name) in without.iter().enumerate() {
            rules = rules.without(name).ok_or_else(|| {
                let known = Rules::NAMES.join(", ");
                (format!("without[{index}]"), format!("unknown rule {name:?}; known are {known}"))
            })?;
        }
        let KipConfiguration { replicas, log_size, max_records, max_leader_epoch } = configuration;
        let settings = KipSettings { replicas, log_size, max_records, max_leader_epoch, rules };
        settings.check().map_err(|error| ("config".into(), error.to_string()))?;
        Ok(settings)
    }

    fn check_step(settings: &KipSettings, step: Step) -> Result<(), String> {
        let mut named = Vec::new();
        step.map_replicas(|replica| {
            named.push(replica);
            Some(replica)
        });
        require_known(&named, settings.replicas)?;
        if let [one, other] = named[..]
            && one == other
        {
            return Err(format!("names {} twice", name(one)));
        }
        match step.epoch() {
            Some(epoch) if epoch > settings.max_leader_epoch => {
                Err(format!("epoch {epoch} is beyond the last, {}", settings.max_leader_epoch))
            }
            _ => Ok(()),
        }
    }

    fn in_words(step: Step) -> String {
        match step {
            Step::ControllerShrinkIsr { replica } => {
                format!("the controller takes {} out of the ISR", name(replica))
            }
            Step::ControllerElectLeader { replica } => {
                format!("the controller elects {}", name(replica))
            }
            Step::BecomeLeader { epoch } => {
                format!("the leader of epoch {epoch} learns that it leads")
            }
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

    fn place(state: &KipState, step: Step) -> Option<u8> {
        match step {
            Step::ControllerShrinkIsr { .. } | Step::ControllerElectLeader { .. } => None,
            Step::BecomeLeader { epoch } => {
                let leader = state.decisions[usize::from(epoch)].leader;
                (leader != NOBODY).then_some(leader)
            }
            Step::LeaderExpandIsr { leader, .. }
            | Step::LeaderShrinkIsr { leader, .. }
            | Step::LeaderWrite { leader }
            | Step::LeaderAdvanceHw { leader } => Some(leader),
            Step::BecomeFollower { replica, .. } => Some(replica),
            Step::FollowerFetch { follower, .. } | Step::FollowerTruncate { follower, .. } => {
                Some(follower)
            }
        }
    }

    fn transfer(step: Step) -> Option<(u8, u8)> {
        match step {
            Step::FollowerFetch { follower, leader } => Some((leader, follower)),
            _ => None,
        }
    }

    fn epoch(state: &KipState) -> i64 {
        state.quorum.epoch.into()
    }

    fn high_watermark(_state: &KipState) -> Option<u64> {
        None
    }

    fn replicas(state: &KipState) -> Vec<NodePicture> {
        let isr = View::isr(state);
        let picture = |node: highwater_invariants::NodeId| {
            let replica = &state.replicas[node.index()];
            let log = state
                .records(node)
                .map(|(id, epoch)| LogEntry { epoch: epoch.into(), text: format!("#{id}") });
            NodePicture {
                name: name(node.index() as u8),
                alive: true,
                leads: replica.presumes_leadership(node.index()),
                in_isr: isr.contains(node),
                isolated: false,
                slow: false,
                note: note(replica, node.index()),
                high_watermark: replica.high_watermark.into(),
                durable: None,
                log: log.collect(),
            }
        };
        View::nodes(state).iter().map(picture).collect()
    }

    fn ablations(settings: &KipSettings) -> Vec<(&'static str, &'static str, KipSettings)> {
        let named = Rules::NAMES.into_iter().zip(Rules::STATEMENTS);
        let rules: Vec<_> = settings.rules.of_preset().collect();
        let own = named.filter(|(name, _)| rules.contains(name));
        own.filter_map(|(name, statement)| {
            let rules = settings.rules.without(name)?;
            Some((name, statement, KipSettings { rules, ..*settings }))
        })
        .collect()
    }
}

/// What a replica believes.
fn note(replica: &Replica, own: usize) -> String {
    let known = replica.known;
    match known.leader {
        _ if known.epoch < 0 => "has heard of no decision".into(),
        NOBODY => format!("knows no leader, epoch {}", known.epoch),
        leader if usize::from(leader) == own => {
            let members = names(known.isr);
            format!("leads in epoch {} with ISR {members}", known.epoch)
        }
        leader => format!("follows {} in epoch {}", name(leader), known.epoch),
    }
}
