//! What one replica looked like when last seen, so that only what changed is looked at again.

use crate::canonical::{Canonical, Sink};
use crate::vocabulary::{Log, NodeId, Offset, Table, View, first_difference};

/// How a replica's log differs from what it was at the state check before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LogChange {
    /// Not at all.
    #[default]
    Unchanged,
    /// Entries were added; the first `from` are as they were.
    Appended {
        /// Entries that were there before.
        from: usize,
    },
    /// Entries were removed or replaced; only the first `from` are as they were.
    Rewritten {
        /// Entries that survived from the start of the log.
        from: usize,
    },
}

impl LogChange {
    /// How many entries at the start of the log are as they were; `None` if all are.
    pub fn first_changed(self) -> Option<usize> {
        match self {
            Self::Unchanged => None,
            Self::Appended { from } | Self::Rewritten { from } => Some(from),
        }
    }
}

/// A replica as it was at the last state check, with the replay of what it held.
#[derive(Debug, Default)]
pub struct Shadow {
    log: Log,
    data: Table,
    committed_data: Table,
    applied_high_watermark: Offset,
    applied_before: Offset,
    change: LogChange,
    changed: bool,
    revision: Option<u64>,
}

crate::clone_in_place!(Shadow:
    copied { log }
    cloned { data, committed_data, applied_high_watermark, applied_before, change, changed, revision });

impl Shadow {
    /// Whether anything of this replica may have changed since the state check before.
    pub fn changed(&self) -> bool {
        self.changed
    }

    /// How the log changed since the state check before.
    pub fn log_change(&self) -> LogChange {
        self.change
    }

    /// The applied high watermark at the state check before, or, if less, just after a crash since
    /// then in which the node lost what it had not synced.
    pub fn applied_before(&self) -> Offset {
        self.applied_before
    }

    /// The replay of the whole log, made by the ledger itself.
    pub fn expected_data(&self) -> &Table {
        &self.data
    }

    /// The replay of the log through the applied high watermark, made by the ledger itself.
    pub fn expected_committed_data(&self) -> &Table {
        &self.committed_data
    }

    /// A replica that nobody has looked at yet: all that it holds is new.
    pub(super) fn unseen<V: View>(view: &V, node: NodeId) -> Self {
        Self { applied_before: view.applied_high_watermark(node), ..Self::default() }
    }

    pub(super) fn note_loss<V: View>(&mut self, view: &V, node: NodeId) {
        self.applied_before = self.applied_before.min(view.applied_high_watermark(node));
    }

    #[inline]
    pub(super) fn turn_page(&mut self) {
        self.change = LogChange::Unchanged;
        self.changed = false;
        self.applied_before = self.applied_high_watermark;
    }

    #[inline]
    pub(super) fn look_at<V: View>(&mut self, view: &V, node: NodeId) {
        let revision = view.node_revision(node);
        if revision.is_some() && revision == self.revision {
            return;
        }
        self.revision = revision;
        self.changed = true;
        self.look_closely(view, node);
    }

    fn look_closely<V: View>(&mut self, view: &V, node: NodeId) {
        let now = view.log(node);
        let kept = match first_difference(&self.log, now) {
            Some(offset) => offset.entries() - 1,
            None => self.log.len().min(now.len()),
        };
        let rewritten = kept < self.log.len();
        if rewritten {
            self.change = LogChange::Rewritten { from: kept };
            self.log.truncate(kept);
            self.data = Table::replay(&self.log);
        } else if kept < now.len() {
            self.change = LogChange::Appended { from: kept };
        }
        self.log.extend_from_slice(&now[kept..]);
        self.data.apply_all(&now[kept..]);

        let applied_now = view.applied_high_watermark(node);
        let applied_was = self.applied_high_watermark.entries();
        let end = applied_now.entries().min(now.len());
        if applied_was > end || applied_was > kept {
            self.committed_data = Table::replay(&now[..end]);
        } else {
            self.committed_data.apply_all(&now[applied_was..end]);
        }
        self.applied_high_watermark = applied_now;
    }
}

impl Canonical for Shadow {
    /// Only what a later check depends on; the rest follows from the state itself.
    fn encode(&self, sink: &mut impl Sink) {
        sink.word(u64::from(self.applied_before.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Dice, Look, Partition, entry, node};

    #[test]
    fn it_says_how_a_log_changed_and_what_it_gives() {
        for seed in 0..500 {
            let mut dice = Dice(seed);
            let mut partition = Partition::of(2);
            let mut shadow = Shadow::default();
            for _ in 0..20 {
                let before = partition.replicas[1].log.clone();
                let mut now = before.clone();
                now.truncate(dice.below(10));
                for _ in 0..dice.below(4) {
                    now.push(entry(dice.below(2) as u32, dice.below(3) as u16, dice.below(2)));
                }
                if dice.one_in(3) {
                    now.clone_from(&before);
                }
                partition.set_log(1, &now);
                partition.apply(1, dice.below(now.len() + 1) as u32);
                let has_revisions = dice.one_in(2);
                shadow.look_at(&Look { partition: &partition, has_revisions }, node(1));

                let kept = before.iter().zip(&now).take_while(|(a, b)| a == b).count();
                let expected = match (kept < before.len(), kept < now.len()) {
                    (false, false) => LogChange::Unchanged,
                    (false, true) => LogChange::Appended { from: kept },
                    (true, _) => LogChange::Rewritten { from: kept },
                };
                assert_eq!(shadow.log_change(), expected);
                assert!(shadow.changed());
                assert_eq!(*shadow.expected_data(), partition.replicas[1].data);
                assert_eq!(*shadow.expected_committed_data(), partition.replicas[1].committed_data);
                shadow.turn_page();
                assert_eq!(shadow.applied_before(), partition.replicas[1].applied);
                assert_eq!((shadow.changed(), shadow.log_change()), (false, LogChange::Unchanged));
            }
        }
    }

    #[test]
    fn what_has_the_same_revision_is_not_looked_at_again() {
        let mut partition = Partition::of(2);
        partition.append(1, entry(1, 0, 0));
        let mut shadow = Shadow::default();
        shadow.look_at(&Look { partition: &partition, has_revisions: true }, node(1));
        shadow.turn_page();
        shadow.look_at(&Look { partition: &partition, has_revisions: true }, node(1));
        assert!(!shadow.changed());
        shadow.look_at(&Look { partition: &partition, has_revisions: false }, node(1));
        assert!(shadow.changed());
    }
}
