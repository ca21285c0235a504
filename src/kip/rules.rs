//! What tells one specification from the next.

use std::fmt;

/// How a follower finds the point to which it cuts its log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Truncation {
    /// On becoming follower: to its own high watermark.
    ToHighWatermark,
    /// On becoming follower: to where the leader's log leaves the epoch of the follower's last record
    /// (KIP-101).
    ByEpoch,
    /// On becoming follower: behind the last record that both logs have (KIP-279).
    ByRecord,
    /// Not on becoming follower, but once a fetch shows that the last record is of another epoch than
    /// the leader's at that offset (KIP-320 as first tried).
    OnFetch,
}

/// What a leader asks of a follower before it counts on it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fencing {
    /// That it follows this leader.
    None,
    /// And that the epoch of its record is that of the leader's (KIP-320 as first tried).
    RecordEpoch,
    /// And that it follows in the leader's own epoch (KIP-320).
    LeaderEpoch,
}

/// The rules of one specification, maybe with some of them switched off.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rules {
    /// The specification.
    pub preset: Preset,
    /// Which of [`Rules::NAMES`] are switched off, a bit each.
    off: u8,
    /// Where a follower cuts its log.
    pub truncation: Truncation,
    /// Whether it looks only at a leader that believes to lead in exactly the epoch that the follower
    /// begins to follow in.
    pub fence_truncation: bool,
    /// What a fetch asks for.
    pub fetch: Fencing,
    /// What advancing the high watermark asks of every ISR member.
    pub high_watermark: Fencing,
    /// What changing the ISR asks of a follower.
    pub isr: Fencing,
    /// Whether the ISR grows only once the high watermark has reached the leader's own epoch.
    pub expand_in_current_epoch: bool,
}

/// A published specification.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Preset {
    /// `KafkaTruncateToHighWatermark`.
    TruncateToHw,
    /// `Kip101`.
    Kip101,
    /// `Kip279`.
    Kip279,
    /// `Kip320FirstTry`.
    Kip320FirstTry,
    /// `Kip320`.
    Kip320,
}

impl Preset {
    /// All of them, in the order of history.
    pub const ALL: [Self; 5] =
        [Self::TruncateToHw, Self::Kip101, Self::Kip279, Self::Kip320FirstTry, Self::Kip320];

    /// The model's name on the command line.
    pub const fn command_line_name(self) -> &'static str {
        match self {
            Self::TruncateToHw => "kip:truncate-to-hw",
            Self::Kip101 => "kip:101",
            Self::Kip279 => "kip:279",
            Self::Kip320FirstTry => "kip:320-first-try",
            Self::Kip320 => "kip:320",
        }
    }

    /// The preset of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.command_line_name() == name)
    }

    /// The name of the published module.
    pub const fn module(self) -> &'static str {
        match self {
            Self::TruncateToHw => "KafkaTruncateToHighWatermark",
            Self::Kip101 => "Kip101",
            Self::Kip279 => "Kip279",
            Self::Kip320FirstTry => "Kip320FirstTry",
            Self::Kip320 => "Kip320",
        }
    }

    /// What it changed, in one sentence.
    pub const fn statement(self) -> &'static str {
        match self {
            Self::TruncateToHw => "a new follower cuts its log to its own high watermark",
            Self::Kip101 => "it asks the leader where the epoch of its last record ends",
            Self::Kip279 => "it goes back to the last record that both logs have",
            Self::Kip320FirstTry => {
                "epochs of records are compared on every fetch, for HW and for the ISR"
            }
            Self::Kip320 => "leader and follower must agree on the leader epoch, in everything",
        }
    }

    /// Its rules.
    pub const fn rules(self) -> Rules {
        let before = Rules {
            preset: self,
            off: 0,
            truncation: Truncation::ToHighWatermark,
            fence_truncation: false,
            fetch: Fencing::None,
            high_watermark: Fencing::None,
            isr: Fencing::None,
            expand_in_current_epoch: false,
        };
        match self {
            Self::TruncateToHw => before,
            Self::Kip101 => Rules { truncation: Truncation::ByEpoch, ..before },
            Self::Kip279 => Rules { truncation: Truncation::ByRecord, ..before },
            Self::Kip320FirstTry => Rules {
                truncation: Truncation::OnFetch,
                fetch: Fencing::RecordEpoch,
                high_watermark: Fencing::RecordEpoch,
                isr: Fencing::RecordEpoch,
                expand_in_current_epoch: true,
                ..before
            },
            Self::Kip320 => Rules {
                truncation: Truncation::ByRecord,
                fence_truncation: true,
                fetch: Fencing::LeaderEpoch,
                high_watermark: Fencing::LeaderEpoch,
                isr: Fencing::LeaderEpoch,
                expand_in_current_epoch: true,
                ..before
            },
        }
    }
}

impl Rules {
    /// Names of the rules that can be switched off alone.
    pub const NAMES: [&'static str; 6] = [
        "truncation",
        "fence-truncation",
        "fence-fetch",
        "fence-high-watermark",
        "fence-isr",
        "expand-in-current-epoch",
    ];

    /// What each of them says.
    pub const STATEMENTS: [&'static str; 6] = [
        "a follower cuts its log by what the leader has, not to its own high watermark",
        "a follower looks for the place to cut only at a leader of exactly its own epoch",
        "a fetch compares epochs",
        "the high watermark advances only over followers of the leader's epoch",
        "the ISR changes only by what followers of the leader's epoch have",
        "the ISR grows only once the high watermark has reached the leader's own epoch",
    ];

    /// The same without one rule; `None` if there is no rule of that name.
    #[must_use]
    pub fn without(mut self, name: &str) -> Option<Self> {
        let number = Self::NAMES.iter().position(|&known| known == name)?;
        match number {
            0 => self.truncation = Truncation::ToHighWatermark,
            1 => self.fence_truncation = false,
            2 => self.fetch = Fencing::None,
            3 => self.high_watermark = Fencing::None,
            4 => self.isr = Fencing::None,
            _ => self.expand_in_current_epoch = false,
        }
        self.off |= 1 << number;
        Some(self)
    }

    /// The names of the rules that are switched off.
    pub fn off(self) -> impl Iterator<Item = &'static str> {
        let numbered = Self::NAMES.into_iter().enumerate();
        numbered.filter(move |(number, _)| self.off & 1 << number != 0).map(|(_, name)| name)
    }

    /// The names of those that the specification has.
    pub fn of_preset(self) -> impl Iterator<Item = &'static str> {
        let is_rule = move |name: &&str| {
            let without = self.without(name);
            without.is_some_and(|less| Self { off: self.off, ..less } != self)
        };
        Self::NAMES.into_iter().filter(is_rule)
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.preset)?;
        self.off().try_for_each(|name| write!(f, " without {name}"))
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.command_line_name())
    }
}
