//! `--certify`: is what was found as short as it can be?

use crate::cli::{Failed, interrupt};
use crate::explore::{Certificate, Explored, Limits, certify};
use crate::report::Reported;
use crate::run::Phase;
use crate::search::shrink::Case;
use clap::Args;

/// Whether to certify, and with how much effort.
#[derive(Args, Debug)]
pub(super) struct CertifyOptions {
    /// Explore everything shorter: prove that no shorter sequence of the same kinds of operations,
    /// each at most as often, violates the same invariant, or report that one instead
    #[arg(long)]
    pub(super) certify: bool,

    /// Give up certifying when so many states were visited
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = clap::value_parser!(u64).range(1..))]
    certify_states: u64,
}

/// What is known of a length now.
pub(super) struct Certified {
    /// One line.
    pub(super) statement: String,
    /// `shortest`, `shorter` or `unknown`.
    pub(super) word: &'static str,
}

impl CertifyOptions {
    /// Explores everything shorter than `case`, if that was asked for. A shorter one takes its place.
    pub(super) fn certify<M: Reported>(
        &self,
        case: &mut Case<M>,
    ) -> Result<Option<Certified>, Failed> {
        if !self.certify {
            return Ok(None);
        }
        let Case { settings, operations, failure, .. } = case;
        let limits = Limits {
            states_max: self.certify_states,
            memory_max: super::memory::budget(None)?,
            ..Limits::default()
        };
        let model = M::offering(operations);
        let go_on = || !interrupt::is_requested();
        let certificate = certify(&model, settings, operations, failure, limits, go_on, |_| ());
        let (invariant, length) = (failure.invariant().name(), operations.len());
        let when = match failure.phase {
            Phase::Operations => "while they are applied",
            Phase::Quiescence | Phase::Recovery => "while or after they are applied",
        };
        let states = |explored: &Explored<M>| explored.distinct();
        Ok(Some(match certificate {
            Certificate::Shortest(explored) => Certified {
                statement: format!(
                    "certified: no sequence of fewer than {length} of these kinds of operations, each \
                     at most as often, violates {invariant} {when} ({} states visited)",
                    states(&explored)
                ),
                word: "shortest",
            },
            Certificate::Shorter(shorter, explored) => {
                let statement = format!(
                    "replaced: {} operations violate {invariant} too {when}, instead of {length}, and no fewer \
                     do ({} states visited)",
                    shorter.operations.len(),
                    states(&explored)
                );
                (*operations, *failure) = (shorter.operations, shorter.failure);
                Certified { statement, word: "shorter" }
            }
            Certificate::Unknown(explored) => Certified {
                statement: format!(
                    "NOT CERTIFIED: gave up after {} states and {} operations; --certify-states gives \
                     it more",
                    states(&explored),
                    explored.levels.len() - 1
                ),
                word: "unknown",
            },
        }))
    }
}
