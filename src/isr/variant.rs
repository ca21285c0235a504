//! Which rules a partition follows.

use std::fmt;

/// A named set of rules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Variant {
    /// Exactly PROTOCOL.md, faults included.
    #[default]
    Published,
}

impl Variant {
    /// Every variant.
    pub const ALL: [Self; 1] = [Self::Published];

    /// The name, as on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
        }
    }

    /// The variant of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|variant| variant.name() == name)
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
