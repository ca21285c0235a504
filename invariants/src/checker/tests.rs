use super::*;
use crate::testing::{Dice, Partition, Run, entry, node, nodes, value};
use crate::vocabulary::{
    AckLevel, KeyId, LeaderEpoch, NodeId, Offset, Packet, ReadLevel, Settled, WriteId,
};

/// A partition that somebody plays with who mostly keeps to the rules.
struct Player {
    dice: Dice,
    run: Run,
    writes: u32,
}

impl Player {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let mut partition = Partition::of(2 + dice.below(2));
        if dice.one_in(4) {
            partition.append_everywhere(entry(1, 0, 0));
            partition.commit(1);
        }
        Self { dice, run: Run::of(Selection::ALL, partition), writes: 0 }
    }

    /// Once in so many times the rules are broken.
    fn cheats(&mut self) -> bool {
        self.dice.one_in(12)
    }

    fn any_node(&mut self) -> usize {
        self.dice.below(self.run.partition.replicas.len())
    }

    fn play(&mut self) {
        match self.dice.below(13) {
            0..3 => self.write(),
            3..5 => self.replicate(),
            5 => self.advance(),
            6 => self.read(),
            7 => self.deliver(),
            8 => self.fail(),
            9 => {
                let index = self.any_node();
                self.run.partition.restart(index);
            }
            10 => self.elect(),
            11 => {
                let index = self.any_node();
                self.run.partition.fsync(index);
            }
            _ => self.end(),
        }
        let checks = [Event::OperationEnded, Event::Ticked];
        self.run.tell(checks[self.dice.below(2)]);
    }

    fn leader_log(&self) -> Vec<crate::Entry> {
        let leader = self.run.partition.leader.map_or(0, NodeId::index);
        self.run.partition.replicas[leader].log.clone()
    }

    fn write(&mut self) {
        let (write, key) = (WriteId(self.writes), KeyId(self.dice.below(2) as u16));
        self.writes += 1;
        let ack = [AckLevel::AllIsr, AckLevel::Leader][self.dice.below(2)];
        let new = value(self.dice.below(3));
        self.run.tell(Event::WriteSubmitted { write, key, value: new, ack });
        let refuses = self.dice.one_in(4);
        if !refuses || self.cheats() {
            let epoch = self.run.partition.leader_epoch.0;
            let new = entry(if self.cheats() { epoch - 1 } else { epoch }, key.0, new.index());
            if let Some(leader) = self.run.partition.leader {
                self.run.partition.append(leader.index(), new);
            }
        }
        let log = self.leader_log();
        let (Some(&entry), offset) = (log.last(), Offset(log.len() as u32)) else { return };
        if refuses {
            self.run.tell(Event::WriteRefused { write });
            return;
        }
        self.run.tell(Event::WriteAppended { write, offset, entry });
        let accepted = self.dice.one_in(2);
        if accepted && ack == AckLevel::AllIsr && !self.cheats() {
            for follower in 0..self.run.partition.replicas.len() {
                self.run.partition.set_log(follower, &log);
            }
            self.run.commit(offset.0);
        }
        self.run.tell(Event::WriteAnswered { write, ack, accepted, offset, entry });
    }

    fn replicate(&mut self) {
        let (follower, mut log) = (self.any_node(), self.leader_log());
        if self.cheats() {
            log.truncate(self.dice.below(4));
        }
        self.run.partition.set_log(follower, &log);
        let end = self.run.partition.high_watermark.entries().min(log.len());
        self.run.partition.apply(follower, end as u32);
        if self.cheats() {
            self.run.partition.meddle(|partition| {
                let replica = &mut partition.replicas[follower];
                let table = [&mut replica.data, &mut replica.committed_data];
                table.into_iter().for_each(crate::Table::clear);
            });
        }
    }

    fn advance(&mut self) {
        let isr = self.run.partition.isr;
        let ends = isr.iter().map(|member| self.run.partition.replicas[member.index()].log.len());
        let end = ends.min().unwrap_or(0) as u32;
        let cheats = self.cheats();
        if end > self.run.partition.high_watermark.0 || cheats {
            self.run.commit(if cheats { self.dice.below(5) as u32 } else { end });
        }
    }

    fn read(&mut self) {
        let key = KeyId(self.dice.below(2) as u16);
        let mut found = self.run.checker().ledger().committed().get(key);
        let mut offset = self.run.partition.high_watermark;
        if self.cheats() {
            found = Some(value(self.dice.below(3)));
        }
        if self.cheats() {
            offset = offset.next();
        }
        let level = ReadLevel::Linearizable;
        self.run.tell(Event::ReadServed { level, node: node(0), key, value: found, offset });
    }

    fn deliver(&mut self) {
        let epoch = self.run.partition.leader_epoch.0;
        let (source, receiver) = (node(self.any_node()), node(self.any_node()));
        let leader_epoch = LeaderEpoch(epoch - self.dice.below(2) as u32);
        let packet = Packet { source, receiver, source_leader: source, leader_epoch };
        self.run.tell(Event::PacketArrived(packet));
        if self.cheats() {
            self.run.partition.append(receiver.index(), entry(epoch, 0, 0));
        }
        self.run.tell(Event::PacketHandled(packet));
    }

    fn fail(&mut self) {
        let (index, lost_unfsynced) = (self.any_node(), self.dice.one_in(2));
        self.run.partition.crash(index, lost_unfsynced);
        if !self.cheats() {
            self.run.tell(Event::Crashed { node: node(index), lost_unfsynced });
        }
    }

    fn elect(&mut self) {
        let index = self.any_node();
        self.run.partition.elect(index);
        let all = self.run.partition.replicas.len();
        let isr = if all == 3 && self.dice.one_in(2) { nodes([0, 1, 2]) } else { nodes([0, 1]) };
        self.run.partition.set_isr(isr.and(self.run.partition.alive));
        self.run.tell(Event::Elected { node: node(index) });
    }

    fn end(&mut self) {
        let busy = self.cheats();
        let settled = if busy {
            Settled::StillBusy { ticks: 9, in_flight: 1 }
        } else {
            Settled::Idle { ticks: 9 }
        };
        self.run.tell(Event::Settled(settled));
        if self.dice.one_in(3) {
            self.run.tell(Event::RecoveryStarted);
            let write_accepted = !self.cheats();
            self.run.tell(Event::RecoveryEnded { write_accepted, ticks: 9 });
        }
    }
}

#[test]
fn what_changed_is_never_overlooked() {
    // Each run is under two checkers: one trusts revisions, one looks at everything each time.
    let mut violated = [0; INVARIANT_COUNT];
    let mut survived = [0; INVARIANT_COUNT];
    for seed in 0..4000 {
        let mut player = Player::new(seed);
        for _ in 0..25 {
            player.play();
        }
        let checker = player.run.checker();
        assert!(checker.undecided().is_empty(), "seed {seed}");
        player.run.assert_tested_alike();
        for invariant in InvariantId::ALL {
            let is_violated = checker.violations().iter().any(|one| one.invariant == invariant);
            let is_tested = checker.tested()[invariant as usize] > 0;
            violated[invariant as usize] += usize::from(is_violated);
            survived[invariant as usize] += usize::from(is_tested && !is_violated);
        }
    }
    for invariant in InvariantId::ALL {
        let (violated, survived) = (violated[invariant as usize], survived[invariant as usize]);
        let name = invariant.name();
        assert!(violated > 40 && survived > 40, "{name}: {violated} violated, {survived} survived");
    }
}

#[test]
fn a_violated_invariant_is_reported_once_and_the_others_go_on() {
    let mut run = Run::of(Selection::ALL, Partition::with_log(&[entry(1, 0, 0)], 1));
    run.partition.set_log(1, &[]);
    run.check();
    let first: Vec<_> = run.checker().violations().iter().map(|one| one.invariant).collect();
    assert_eq!(first, [InvariantId::HwMonotonicity, InvariantId::HwWithinIsr]);
    run.partition.set_log(2, &[]);
    run.partition.apply(0, 0);
    run.partition.meddle(|partition| partition.replicas[2].data.apply(entry(1, 0, 3)));
    run.check();
    let all: Vec<_> = run.checker().violations().iter().map(|one| one.invariant).collect();
    assert_eq!(all, [&first[..], &[InvariantId::CommittedDataReplay]].concat());
}

#[test]
fn what_is_not_selected_is_neither_tested_nor_violated() {
    let mut run = Run::of(Selection::NONE, Partition::with_log(&[entry(1, 0, 0)], 1));
    run.partition.set_log(1, &[]);
    run.check();
    run.assert_untested();
}

#[test]
fn the_end_of_a_phase_is_a_state_check_too() {
    for event in [
        Event::Settled(Settled::Idle { ticks: 1 }),
        Event::RecoveryEnded { write_accepted: true, ticks: 1 },
    ] {
        let log = [entry(1, 0, 0)];
        let mut run = Run::new(InvariantId::HwWithinIsr, Partition::with_log(&log, 1));
        run.check();
        run.partition.set_log(1, &[]);
        run.tell(event);
        run.assert_violated(
            "isr-member-behind-hw",
            "node-2 is alive and in the ISR, but its log ends at 0, below HW 1",
        );
    }
}

#[test]
fn selections_are_sets() {
    let one = InvariantId::EpochOrder;
    assert!(InvariantId::ALL.into_iter().all(|invariant| Selection::ALL.contains(invariant)));
    assert!(InvariantId::ALL.into_iter().all(|invariant| !Selection::NONE.contains(invariant)));
    assert_eq!(Selection::NONE.with(one), Selection::only(one));
    assert!(Selection::only(one).without(one).is_empty());
    assert!(!Selection::ALL.without(one).contains(one));
}

#[test]
fn every_invariant_is_found_by_its_name() {
    for invariant in InvariantId::ALL {
        assert_eq!(InvariantId::from_name(invariant.name()), Some(invariant));
        assert!(!invariant.statement().is_empty());
    }
    assert_eq!(InvariantId::from_name("no-such-invariant"), None);
}
