//! Files, words and pictures of the model `kip:async-isr`.

use crate::kip::async_isr::model::AsyncIsrModel;
use crate::kip::async_isr::state::{AsyncIsrSettings, AsyncIsrState, HwOver, LEADER};
use crate::kip::async_isr::steps::AsyncIsrStep;
use crate::kip::names::{name, names, require_known};
use crate::kip::state::NOBODY;
use crate::kip::stepwise::Stepwise;
use crate::model::Model;
use crate::picture::{LogEntry, NodePicture};
use highwater_invariants::{InvariantId, Selection, View};
use serde::{Deserialize, Serialize};

/// The constants in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AsyncIsrConfiguration {
    replicas: usize,
    max_offset: u8,
    max_version: u8,
    #[serde(default)]
    hw_over: HwOver,
}

impl Stepwise for AsyncIsrModel {
    type Configuration = AsyncIsrConfiguration;
    const APPLICABLE: Selection = Selection::only(InvariantId::ValidHighWatermark);

    fn name_of(_settings: &AsyncIsrSettings) -> &'static str {
        Self::NAME
    }

    fn rules_of(settings: &AsyncIsrSettings) -> String {
        match settings.hw_over {
            HwOver::Both => Self::NAME.into(),
            other => format!("{}, HW over {}", Self::NAME, other.name()),
        }
    }

    fn without(_settings: &AsyncIsrSettings) -> Vec<&'static str> {
        Vec::new()
    }

    fn configuration(settings: &AsyncIsrSettings) -> AsyncIsrConfiguration {
        let AsyncIsrSettings { replicas, max_offset, max_version, hw_over } = *settings;
        AsyncIsrConfiguration { replicas, max_offset, max_version, hw_over }
    }

    fn configuration_in_words(settings: &AsyncIsrSettings) -> Vec<(&'static str, String)> {
        vec![
            ("replicas", settings.replicas.to_string()),
            ("last offset", settings.max_offset.to_string()),
            ("last version", settings.max_version.to_string()),
            ("HW over", settings.hw_over.name().into()),
        ]
    }

    fn settings(
        _model: &str,
        without: &[String],
        configuration: AsyncIsrConfiguration,
    ) -> Result<AsyncIsrSettings, (String, String)> {
        if let Some(name) = without.first() {
            let reason = format!("unknown rule {name:?}; {} has hw_over instead", Self::NAME);
            return Err(("without[0]".into(), reason));
        }
        let AsyncIsrConfiguration { replicas, max_offset, max_version, hw_over } = configuration;
        let settings = AsyncIsrSettings { replicas, max_offset, max_version, hw_over };
        settings.check().map_err(|error| ("config".into(), error.to_string()))?;
        Ok(settings)
    }

    fn check_step(settings: &AsyncIsrSettings, step: AsyncIsrStep) -> Result<(), String> {
        let mut named = Vec::new();
        step.map_replicas(|replica| {
            named.push(replica);
            Some(replica)
        });
        require_known(&named, settings.replicas)?;
        match step {
            AsyncIsrStep::LeaderHandleUpdate { version, .. } if version > settings.max_version => {
                Err(format!("version {version} is beyond the last, {}", settings.max_version))
            }
            _ => Ok(()),
        }
    }

    fn in_words(step: AsyncIsrStep) -> String {
        match step {
            AsyncIsrStep::ControllerShrinkIsr { replica } => {
                format!("the controller takes {} out of the ISR", name(replica))
            }
            AsyncIsrStep::ControllerHandleRequest { isr } => {
                format!("the controller makes the ISR {}, as it was asked", members(isr))
            }
            AsyncIsrStep::LeaderRequestShrink { replica } => {
                format!("the leader asks for {} to be taken out of the ISR", name(replica))
            }
            AsyncIsrStep::LeaderRequestExpand { replica } => {
                format!("the leader asks for {} to be taken into the ISR", name(replica))
            }
            AsyncIsrStep::LeaderWrite => "the leader appends a record".into(),
            AsyncIsrStep::LeaderHandleUpdate { isr, version } => {
                format!("the leader hears that the ISR is {}, version {version}", members(isr))
            }
            AsyncIsrStep::FollowerReplicate { replica } => {
                format!("{} fetches from the leader", name(replica))
            }
        }
    }

    fn place(_state: &AsyncIsrState, step: AsyncIsrStep) -> Option<u8> {
        match step {
            AsyncIsrStep::ControllerShrinkIsr { .. }
            | AsyncIsrStep::ControllerHandleRequest { .. } => None,
            AsyncIsrStep::FollowerReplicate { replica } => Some(replica),
            _ => Some(LEADER),
        }
    }

    fn transfer(step: AsyncIsrStep) -> Option<(u8, u8)> {
        match step {
            AsyncIsrStep::FollowerReplicate { replica } => Some((LEADER, replica)),
            _ => None,
        }
    }

    /// There is one leader, for ever.
    fn epoch(_state: &AsyncIsrState) -> i64 {
        0
    }

    fn high_watermark(state: &AsyncIsrState) -> Option<u64> {
        Some(state.high_watermark().into())
    }

    fn replicas(state: &AsyncIsrState) -> Vec<NodePicture> {
        let isr = View::isr(state);
        let picture = |node: highwater_invariants::NodeId| {
            let number = node.index() as u8;
            let offsets = 0..state.offsets[node.index()];
            let note = match (number == LEADER, state.pending_version) {
                (false, _) => String::new(),
                (true, NOBODY) => {
                    let known = state.leader;
                    format!("knows ISR {}, version {}", members(known.isr), known.version)
                }
                (true, _) => {
                    let known = state.leader;
                    let proposed = members(state.pending_isr);
                    let isr = members(known.isr);
                    format!("knows ISR {isr}, version {}; has proposed {proposed}", known.version)
                }
            };
            NodePicture {
                name: name(number),
                alive: true,
                leads: number == LEADER,
                in_isr: isr.contains(node),
                isolated: false,
                slow: false,
                note,
                high_watermark: if number == LEADER { state.high_watermark().into() } else { 0 },
                durable: None,
                log: offsets
                    .map(|offset| LogEntry { epoch: 0, text: format!("#{offset}") })
                    .collect(),
            }
        };
        View::nodes(state).iter().map(picture).collect()
    }

    fn ablations(
        settings: &AsyncIsrSettings,
    ) -> Vec<(&'static str, &'static str, AsyncIsrSettings)> {
        let over = |hw_over| AsyncIsrSettings { hw_over, ..*settings };
        vec![
            ("count-proposed", "HW counts the ISR that was proposed", over(HwOver::Committed)),
            ("count-committed", "HW counts the committed ISR", over(HwOver::Proposed)),
        ]
    }
}

/// A set of replicas in words.
fn members(isr: u8) -> String {
    let members = names(isr);
    if members.is_empty() { "of nobody".into() } else { members }
}
