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

    /// The guards that are left.
    pub const fn guards(self) -> Guards {
        self.variant.guards().without(self.without)
    }
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
