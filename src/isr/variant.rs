//! Which rules a partition follows.

use crate::isr::guards::{Guard, Guards};
use std::fmt;

/// A named set of guards.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Variant {
    /// Exactly PROTOCOL.md, faults included.
    #[default]
    Published,
    /// Every guard: clean under every engine.
    Hardened,
}

/// A variant, and which of its guards are switched off.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Rules {
    /// The variant.
    pub variant: Variant,
    /// What is switched off.
    pub without: Guards,
}

impl Variant {
    /// Every variant.
    pub const ALL: [Self; 2] = [Self::Published, Self::Hardened];

    /// The name, as on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Hardened => "hardened",
        }
    }

    /// What it is, in one sentence.
    pub const fn statement(self) -> &'static str {
        match self {
            Self::Published => "exactly the reference simulator's protocol, faults included",
            Self::Hardened => "the same with every guard of `highwater list guards`: clean",
        }
    }

    /// The variant of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|variant| variant.name() == name)
    }

    /// Its guards.
    pub const fn guards(self) -> Guards {
        match self {
            Self::Published => Guards::PUBLISHED,
            Self::Hardened => Guards::ALL,
        }
    }
}

impl Rules {
    /// The variant as it is.
    pub const fn of(variant: Variant) -> Self {
        Self { variant, without: Guards::NONE }
    }

    /// The same with one guard less.
    #[must_use]
    pub const fn without(self, guard: Guard) -> Self {
        Self { variant: self.variant, without: self.without.with(guard) }
    }

    /// The rules of that name, as they are displayed: a variant, then `-without-GUARD` for each
    /// guard that is off.
    ///
    /// # Errors
    /// Says which variant or guard is not known.
    pub fn from_name(name: &str) -> Result<Self, UnknownRules> {
        let mut parts = name.split("-without-");
        let variant = parts.next().unwrap_or_default();
        let rules = Variant::from_name(variant).map(Self::of);
        parts.try_fold(rules.ok_or(UnknownRules::Variant(variant.into()))?, |rules, guard| {
            let known = Guard::from_name(guard).filter(|&guard| rules.variant.guards().has(guard));
            let unknown = || UnknownRules::Guard { variant: rules.variant, guard: guard.into() };
            known.map(|guard| rules.without(guard)).ok_or_else(unknown)
        })
    }

    /// Whether a violation under these rules is a bug: every guard is in place.
    pub fn must_be_clean(self) -> bool {
        self == Self::of(Variant::Hardened)
    }

    /// The guards that are left.
    pub const fn guards(self) -> Guards {
        self.variant.guards().without(self.without)
    }
}

/// A name that no rules have.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnknownRules {
    /// No variant of that name.
    #[error("unknown variant {0:?}; known are published, hardened")]
    Variant(String),
    /// The variant has no such guard.
    #[error("{variant} has no guard {guard:?}; see highwater list guards")]
    Guard {
        /// The variant.
        variant: Variant,
        /// What it does not have.
        guard: String,
    },
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.variant.name())?;
        for guard in self.without.iter() {
            write!(f, "-without-{guard}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_known_by_the_name_that_they_are_displayed_with() {
        let all = Guard::ALL.iter().map(|&guard| Rules::of(Variant::Hardened).without(guard));
        let two =
            Rules::of(Variant::Published).without(Guard::EpochCheck).without(Guard::ReadCommitted);
        let whole = Variant::ALL.map(Rules::of);
        for rules in all.chain([two]).chain(whole) {
            assert_eq!(Rules::from_name(&rules.to_string()), Ok(rules));
        }
        for bad in
            ["", "kraft", "published-without-", "published-without-one-catch-up", "hardened-"]
        {
            assert!(Rules::from_name(bad).is_err(), "{bad}");
        }
    }
}
