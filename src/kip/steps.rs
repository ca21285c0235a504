//! When a step is enabled, and what it does.

use crate::kip::rules::{Fencing, Truncation};
use crate::kip::state::{KipState, NOBODY, Quorum, Record, epoch_of, record};
use crate::kip::step::Step;

impl KipState {
    /// Adds every step that is enabled, in a fixed order.
    pub(super) fn enabled(&self, steps: &mut Vec<Step>) {
        let replicas = || 0..self.number;
        // A macro, so that each place has the kind of its step before its eyes.
        macro_rules! offer {
            ($step:expr) => {
                if self.is_enabled($step) {
                    steps.push($step);
                }
            };
        }
        for replica in replicas().filter(|_| self.may_decide()) {
            offer!(Step::ControllerShrinkIsr { replica });
            offer!(Step::ControllerElectLeader { replica });
        }
        for epoch in 0..self.next_epoch {
            offer!(Step::BecomeLeader { epoch });
            for replica in replicas() {
                offer!(Step::BecomeFollower { replica, epoch });
            }
        }
        for leader in replicas() {
            offer!(Step::LeaderWrite { leader });
            offer!(Step::LeaderAdvanceHw { leader });
            // All that follows is asked of whoever believes that it leads.
            if !self.replica(leader).presumes_leadership(leader.into()) {
                continue;
            }
            for replica in replicas().filter(|&replica| replica != leader) {
                offer!(Step::LeaderExpandIsr { leader, replica });
                offer!(Step::LeaderShrinkIsr { leader, replica });
                offer!(Step::FollowerFetch { follower: replica, leader });
                offer!(Step::FollowerTruncate { follower: replica, leader });
            }
        }
    }

    /// Whether `step` is enabled.
    #[expect(clippy::inline_always, reason = "where the kind is known, most of it falls away")]
    #[inline(always)]
    pub(super) fn is_enabled(&self, step: Step) -> bool {
        let rules = self.settings.rules;
        match step {
            Step::ControllerShrinkIsr { replica } => {
                self.may_decide()
                    && (self.quorum.leader == replica || self.quorum.isr & 1 << replica != 0)
            }
            Step::ControllerElectLeader { replica } => {
                self.may_decide()
                    && self.quorum.isr & 1 << replica != 0
                    && self.quorum.leader != replica
            }
            Step::BecomeLeader { epoch } => {
                let decision = self.decisions[usize::from(epoch)];
                decision.leader != NOBODY
                    && decision.epoch > self.replicas[usize::from(decision.leader)].known.epoch
            }
            Step::LeaderExpandIsr { leader, replica } => {
                self.is_true_leader(leader)
                    && self.replica(leader).known.isr & 1 << replica == 0
                    && self.may_join(leader, replica)
            }
            Step::LeaderShrinkIsr { leader, replica } => {
                self.is_true_leader(leader)
                    && self.replica(leader).known.isr & 1 << replica != 0
                    && !self.keeps_up(leader, replica)
            }
            Step::LeaderWrite { leader } => {
                let replica = self.replica(leader);
                replica.presumes_leadership(leader.into())
                    && self.next_record < self.settings.max_records
                    && replica.end < self.settings.log_size
            }
            Step::LeaderAdvanceHw { leader } => self.may_advance(leader),
            Step::BecomeFollower { replica, epoch } => {
                let decision = self.decisions[usize::from(epoch)];
                decision.leader != NOBODY
                    && decision.leader != replica
                    && decision.epoch > self.replica(replica).known.epoch
                    && self.truncation(decision, replica).is_some()
            }
            Step::FollowerFetch { follower, leader } => {
                let end = self.replica(follower).end;
                self.counts_on(leader, follower, end, rules.fetch)
                    && self.replica(leader).presumes_leadership(leader.into())
                    && end < self.settings.log_size
                    && end < self.replica(leader).end
            }
            Step::FollowerTruncate { follower, leader } => {
                rules.truncation == Truncation::OnFetch
                    && self.replica(leader).presumes_leadership(leader.into())
                    && self.follows(follower, leader)
                    && self.needs_truncation(follower, leader)
            }
        }
    }

    /// Takes a step that is enabled.
    #[inline]
    pub(super) fn take(&mut self, step: Step) {
        match step {
            Step::ControllerShrinkIsr { replica } => {
                let Quorum { leader, isr, .. } = self.quorum;
                let left = isr & !(1 << replica);
                if leader == replica {
                    // The last member stays, or nobody could ever be elected.
                    self.decide(NOBODY, if left == 0 { isr } else { left });
                } else {
                    self.decide(leader, left);
                }
            }
            Step::ControllerElectLeader { replica } => self.decide(replica, self.quorum.isr),
            Step::BecomeLeader { epoch } => {
                let decision = self.decisions[usize::from(epoch)];
                self.replicas[usize::from(decision.leader)].known = decision;
            }
            Step::LeaderExpandIsr { leader, replica } => {
                self.change_isr(leader, self.replica(leader).known.isr | 1 << replica);
            }
            Step::LeaderShrinkIsr { leader, replica } => {
                self.change_isr(leader, self.replica(leader).known.isr & !(1 << replica));
            }
            Step::LeaderWrite { leader } => {
                let id = self.next_record;
                self.next_record += 1;
                let replica = &mut self.replicas[usize::from(leader)];
                replica.append(record(id, replica.known.epoch));
            }
            Step::LeaderAdvanceHw { leader } => {
                self.replicas[usize::from(leader)].high_watermark += 1;
            }
            Step::BecomeFollower { replica, epoch } => {
                let decision = self.decisions[usize::from(epoch)];
                let end = self.truncation(decision, replica).unwrap_or(u8::MAX);
                let replica = &mut self.replicas[usize::from(replica)];
                if self.settings.rules.truncation != Truncation::OnFetch {
                    replica.truncate(end);
                    replica.high_watermark = replica.high_watermark.min(end);
                }
                replica.known = decision;
            }
            Step::FollowerFetch { follower, leader } => {
                let leader = *self.replica(leader);
                let follower = &mut self.replicas[usize::from(follower)];
                follower.append(leader.log[usize::from(follower.end)]);
                follower.high_watermark = leader.high_watermark.min(follower.end);
            }
            Step::FollowerTruncate { follower, leader } => {
                let end = self.matching_end(leader, follower);
                let follower = &mut self.replicas[usize::from(follower)];
                follower.truncate(end);
                follower.high_watermark = follower.high_watermark.min(end);
            }
        }
    }

    #[inline]
    pub(super) fn replica(&self, replica: u8) -> &super::state::Replica {
        &self.replicas[usize::from(replica)]
    }

    /// The controller has an epoch left.
    fn may_decide(&self) -> bool {
        self.next_epoch <= self.settings.max_leader_epoch
    }

    /// The controller decides, and tells all replicas.
    fn decide(&mut self, leader: u8, isr: u8) {
        let decision = Quorum { leader, epoch: self.next_epoch as i8, isr };
        self.quorum = decision;
        self.decisions[usize::from(self.next_epoch)] = decision;
        self.next_epoch += 1;
    }

    /// The leader that the controller knows, and that knows it.
    fn is_true_leader(&self, leader: u8) -> bool {
        let known = self.replica(leader).known;
        self.quorum.leader == leader && known.leader == leader && known.epoch == self.quorum.epoch
    }

    fn change_isr(&mut self, leader: u8, isr: u8) {
        self.quorum.isr = isr;
        self.replicas[usize::from(leader)].known.isr = isr;
    }

    #[inline]
    fn follows(&self, follower: u8, leader: u8) -> bool {
        self.replica(follower).known.leader == leader
    }

    /// Whether `leader` may count on `follower` for all that is before `end`.
    #[inline]
    fn counts_on(&self, leader: u8, follower: u8, end: u8, fencing: Fencing) -> bool {
        if !self.follows(follower, leader) {
            return false;
        }
        let (leading, following) = (self.replica(leader), self.replica(follower));
        match fencing {
            Fencing::None => true,
            Fencing::LeaderEpoch => {
                leading.presumes_leadership(leader.into())
                    && following.known.epoch == leading.known.epoch
            }
            Fencing::RecordEpoch => {
                let epoch = |record: Option<Record>| record.map(epoch_of);
                leading.presumes_leadership(leader.into())
                    && (end == 0 || {
                        let ours = epoch(leading.get(end - 1));
                        ours.is_some() && ours == epoch(following.get(end - 1))
                    })
            }
        }
    }

    /// Whether a follower has what it must have to stay in the ISR.
    fn keeps_up(&self, leader: u8, follower: u8) -> bool {
        let end = self.replica(leader).end;
        let reaches = self.replica(follower).end >= end;
        self.counts_on(leader, follower, end, self.settings.rules.isr) && reaches
    }

    /// Whether a follower has what it must have to join the ISR.
    fn may_join(&self, leader: u8, follower: u8) -> bool {
        let rules = self.settings.rules;
        let leading = self.replica(leader);
        let hw = leading.high_watermark;
        let reaches_hw = hw == 0
            || (self.replica(follower).end >= hw
                && (rules.isr != Fencing::None || leading.end >= hw));
        let is_current = hw == leading.end
            || leading.get(hw).is_some_and(|record| epoch_of(record) == leading.known.epoch);
        self.counts_on(leader, follower, hw, rules.isr)
            && reaches_hw
            && (!rules.expand_in_current_epoch || is_current)
    }

    fn may_advance(&self, leader: u8) -> bool {
        let fencing = self.settings.rules.high_watermark;
        let replica = self.replica(leader);
        let hw = replica.high_watermark;
        let is_offered = match fencing {
            Fencing::None => {
                replica.presumes_leadership(leader.into()) && hw < self.settings.log_size
            }
            Fencing::RecordEpoch => {
                replica.presumes_leadership(leader.into()) && replica.get(hw).is_some()
            }
            Fencing::LeaderEpoch => replica.get(hw).is_some(),
        };
        let has_it = |follower: u8| {
            self.counts_on(leader, follower, hw + 1, fencing) && self.replica(follower).end > hw
        };
        let is_member = |follower: &u8| replica.known.isr & 1 << *follower != 0;
        is_offered && (0..self.number).filter(is_member).all(has_it)
    }
}
