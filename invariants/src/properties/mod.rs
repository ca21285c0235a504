//! The invariants, one file each. To add one: write its file, and name it in the list below.
//!
//! The general ones speak of any replicated partition. Those of published specifications speak of
//! what only models of such specifications have, and need no ledger.

use crate::canonical::{Canonical, Sink};
use crate::checker::{Finding, Selection};
use crate::ledger::Ledger;
use crate::vocabulary::{Event, View};
use arrayvec::ArrayVec;
use std::fmt::Debug;

/// Something that must hold of every partition at all times.
pub trait Invariant {
    /// What the invariant must remember beside the ledger. `()` for most.
    type Ghost: Default + Clone + Debug + Canonical;
    /// Its name, as on the command line and in files.
    const NAME: &'static str;
    /// What it says, in one sentence.
    const STATEMENT: &'static str;

    /// Looks at `event` and the partition after it. Adds to `tested` whenever the premise of the
    /// statement holds, that is, whenever a wrong partition could have been found out.
    fn check<V: View>(
        ghost: &mut Self::Ghost,
        ledger: &Ledger,
        event: Event,
        view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding>;
}

macro_rules! invariants {
    (
        general { $($module:ident :: $name:ident),* $(,)? }
        specified { $($specified_module:ident :: $specified:ident),* $(,)? }
    ) => {
        $(mod $module; pub use $module::$name;)*
        $(mod $specified_module; pub use $specified_module::$specified;)*

        /// Names an invariant.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum InvariantId {
            $(#[doc = concat!("See [`struct@", stringify!($name), "`].")] $name,)*
            $(#[doc = concat!("See [`struct@", stringify!($specified), "`].")] $specified,)*
        }

        /// How many invariants there are, general ones and others.
        pub const INVARIANT_COUNT: usize =
            [$(InvariantId::$name,)* $(InvariantId::$specified),*].len();

        impl InvariantId {
            /// All general invariants, the five that the project is for first.
            pub const ALL: [Self; [$(Self::$name),*].len()] = [$(Self::$name),*];

            /// The invariants of published specifications.
            pub const SPECIFIED: [Self; [$(Self::$specified),*].len()] = [$(Self::$specified),*];

            /// The name, as on the command line and in files.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => <$name as Invariant>::NAME,)*
                    $(Self::$specified => <$specified as Invariant>::NAME,)*
                }
            }

            /// What it says, in one sentence.
            pub const fn statement(self) -> &'static str {
                match self {
                    $(Self::$name => <$name as Invariant>::STATEMENT,)*
                    $(Self::$specified => <$specified as Invariant>::STATEMENT,)*
                }
            }

            /// The invariant of that name.
            pub fn from_name(name: &str) -> Option<Self> {
                let mut known = Self::ALL.into_iter().chain(Self::SPECIFIED);
                known.find(|invariant| invariant.name() == name)
            }
        }

        /// The ghost state of every invariant.
        #[derive(Debug, Default)]
        pub(crate) struct Ghosts { $($module: <$name as Invariant>::Ghost),* }

        crate::clone_in_place!(Ghosts: copied {} cloned { $($module),* });

        impl Ghosts {
            #[inline]
            pub(crate) fn check_all<V: View>(
                &mut self,
                ledger: &Ledger,
                event: Event,
                view: &V,
                active: Selection,
                tested: &mut [u64; INVARIANT_COUNT],
                findings: &mut ArrayVec<(InvariantId, Finding), INVARIANT_COUNT>,
            ) {
                $(
                    let id = InvariantId::$name;
                    if active.contains(id)
                        && let Err(finding) =
                            $name::check(&mut self.$module, ledger, event, view, &mut tested[id as usize])
                    {
                        findings.push((id, finding));
                    }
                )*
            }

            /// The same for invariants of specifications, which look at a state and nothing else.
            #[inline]
            pub(crate) fn check_specified<V: View>(
                ledger: &Ledger,
                event: Event,
                view: &V,
                active: Selection,
                tested: &mut [u64; INVARIANT_COUNT],
                findings: &mut ArrayVec<(InvariantId, Finding), INVARIANT_COUNT>,
            ) {
                $(
                    let id = InvariantId::$specified;
                    if active.contains(id)
                        && let Err(finding) =
                            $specified::check(&mut (), ledger, event, view, &mut tested[id as usize])
                    {
                        findings.push((id, finding));
                    }
                )*
            }
        }

        impl Canonical for Ghosts {
            fn encode(&self, sink: &mut impl Sink) {
                $(self.$module.encode(sink);)*
            }
        }
    };
}

invariants! {
    general {
        hw_monotonicity::HwMonotonicity,
        committed_prefix_agreement::CommittedPrefixAgreement,
        stale_epoch_rejection::StaleEpochRejection,
        min_insync_admission::MinInsyncAdmission,
        linearizable_read_below_hw::LinearizableReadBelowHw,
        acked_durability::AckedDurability,
        hw_within_isr::HwWithinIsr,
        committed_data_replay::CommittedDataReplay,
        epoch_order::EpochOrder,
        durable_prefix::DurablePrefix,
        committed_on_min_insync::CommittedOnMinInsync,
        client_linearizability::ClientLinearizability,
        quiescence::Quiescence,
        recovery::Recovery,
    }
    specified {
        weak_isr::WeakIsr,
        strong_isr::StrongIsr,
        leader_in_isr::LeaderInIsr,
        valid_high_watermark::ValidHighWatermark,
    }
}
