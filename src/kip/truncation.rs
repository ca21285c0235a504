//! Where a follower cuts its log: what the specifications differ in most.

use crate::kip::rules::Truncation;
use crate::kip::state::{KipState, Quorum, epoch_of};

impl KipState {
    /// Where a new follower of `decision` cuts its log; `None` if it cannot begin to follow.
    pub(super) fn truncation(&self, decision: Quorum, follower: u8) -> Option<u8> {
        let rules = self.settings.rules;
        let leader = decision.leader;
        if rules.fence_truncation {
            let known = self.replica(leader).known;
            if known.leader != leader || known.epoch != decision.epoch {
                return None;
            }
        }
        let following = self.replica(follower);
        let end = match rules.truncation {
            Truncation::OnFetch => following.end,
            Truncation::ToHighWatermark => following.high_watermark,
            Truncation::ByEpoch => match following.last() {
                None => 0,
                Some(last) => self.end_of_epoch(leader, follower, epoch_of(last)),
            },
            Truncation::ByRecord => self.matching_end(leader, follower),
        };
        (end <= following.end).then_some(end)
    }

    /// Where the leader's log leaves an epoch, as KIP-101 looks it up.
    fn end_of_epoch(&self, leader: u8, follower: u8, epoch: i8) -> u8 {
        let leading = self.replica(leader);
        match leading.last() {
            Some(last) if epoch_of(last) == epoch => leading.end,
            Some(_) => {
                let larger = (0..leading.end)
                    .find(|&offset| epoch_of(leading.log[usize::from(offset)]) > epoch);
                larger.unwrap_or(self.replica(follower).high_watermark)
            }
            None => self.replica(follower).high_watermark,
        }
    }

    /// Behind the last record that both have at the same offset.
    pub(super) fn matching_end(&self, leader: u8, follower: u8) -> u8 {
        let (leading, following) = (self.replica(leader), self.replica(follower));
        let common = leading.end.min(following.end);
        let agree = |&offset: &u8| leading.get(offset) == following.get(offset);
        (0..common).rev().find(agree).map_or(0, |offset| offset + 1)
    }

    /// Whether a fetch shows that the follower must cut its log.
    pub(super) fn needs_truncation(&self, follower: u8, leader: u8) -> bool {
        let (leading, following) = (self.replica(leader), self.replica(follower));
        let differs = || {
            let last = following.end.checked_sub(1)?;
            Some(epoch_of(leading.get(last)?) != epoch_of(following.get(last)?))
        };
        following.end > leading.end || differs().unwrap_or(false)
    }
}
