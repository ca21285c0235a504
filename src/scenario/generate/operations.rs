//! The operations of one sequence.
//!
//! The generator has a rough idea of who is up, who leads and who is cut off, so that most of what
//! it draws applies. The idea may be wrong, and now and then it is ignored: what does not apply is
//! refused, and refusals must be tested too.

use super::weights::Weights;
use crate::isr::{Operation, Settings};
use crate::scenario::Dice;
use highwater_invariants::{AckLevel, KeyId, NodeId, NodeSet, ReadLevel, ValueId};

/// Once in so many times a node is drawn without regard to what is known of it.
const BLIND_ONE_IN: u32 = 12;

/// Replaces `operations` by `length` new ones.
pub(super) fn draw(
    dice: &mut Dice,
    settings: &Settings,
    weights: &Weights,
    length: usize,
    operations: &mut Vec<Operation>,
) {
    let nodes = NodeSet::first(settings.nodes);
    let keys = dice.pick(&[1, 1, 2, 3]);
    let mut guess = Guess {
        dice,
        nodes,
        alive: nodes,
        cut: NodeSet::EMPTY,
        slow: NodeSet::EMPTY,
        leader: settings.leader,
        keys,
        values: 0,
    };
    let total = weights.total();
    operations.clear();
    for _ in 0..length {
        let kind = weights.pick(total, guess.dice);
        operations.push(guess.operation(kind));
    }
}

struct Guess<'d> {
    dice: &'d mut Dice,
    nodes: NodeSet,
    alive: NodeSet,
    cut: NodeSet,
    slow: NodeSet,
    leader: NodeId,
    keys: u16,
    values: usize,
}

impl Guess<'_> {
    fn operation(&mut self, kind: usize) -> Operation {
        match Operation::NAMES[kind] {
            "write" => {
                let (key, value, ack) = self.write();
                Operation::Write { key, value, ack }
            }
            "submit" => {
                let (key, value, ack) = self.write();
                Operation::Submit { key, value, ack }
            }
            "read" => self.read(),
            "lease_read" => Operation::LeaseRead {
                node: self.mostly(NodeSet::from_iter([self.leader])),
                key: self.key(),
            },
            "tick" => Operation::Tick,
            "run_until_idle" => Operation::RunUntilIdle,
            "set_replica_slow" => self.set_replica_slow(),
            "fsync" => Operation::Fsync { node: self.mostly(self.alive) },
            "crash" => self.crash(),
            "restart" => {
                let node = self.mostly(self.nodes.without(self.alive));
                self.alive.insert(node);
                self.cut.remove(node);
                Operation::Restart { node }
            }
            "isolate" => {
                let node = self.mostly(self.alive.without(self.cut));
                self.cut.insert(node);
                Operation::Isolate { node }
            }
            "heal" => {
                let node = self.mostly(self.cut.and(self.alive));
                self.cut.remove(node);
                Operation::Heal { node }
            }
            "drop_message" => Operation::DropMessage { message: self.message() },
            "duplicate_message" => Operation::DuplicateMessage { message: self.message() },
            "delay_message" => {
                let ticks = self.dice.pick(&[1, 1, 2, 3, 5]);
                Operation::DelayMessage { message: self.message(), ticks }
            }
            "reorder_message" => Operation::ReorderMessage { message: self.message() },
            "cut_link" => {
                let (node, peer) = self.link();
                Operation::CutLink { node, peer }
            }
            "heal_link" => {
                let (node, peer) = self.link();
                Operation::HealLink { node, peer }
            }
            _ => {
                let node = self.mostly(self.followers());
                self.leader = node;
                Operation::ControllerElect { node }
            }
        }
    }

    /// Every write has a value of its own, so that it can be told what a read returned.
    fn write(&mut self) -> (KeyId, ValueId, AckLevel) {
        let value = ValueId::from_index(self.values).unwrap_or(Settings::PROBE_VALUE);
        self.values += 1;
        let levels = [
            AckLevel::AllIsr,
            AckLevel::AllIsr,
            AckLevel::AllIsr,
            AckLevel::Leader,
            AckLevel::Leader,
        ];
        let ack = if self.dice.chance(1, 64) {
            self.dice.pick(&[AckLevel::None, AckLevel::Quorum])
        } else {
            self.dice.pick(&levels)
        };
        (self.key(), value, ack)
    }

    fn key(&mut self) -> KeyId {
        KeyId(self.dice.below(u32::from(self.keys)) as u16)
    }

    fn read(&mut self) -> Operation {
        let levels =
            [ReadLevel::Local, ReadLevel::Leader, ReadLevel::Linearizable, ReadLevel::Linearizable];
        let level = self.dice.pick(&levels);
        let names_node = match level {
            ReadLevel::Local => self.dice.chance(3, 4),
            _ => self.dice.chance(1, 32),
        };
        let node = if names_node { Some(self.mostly(self.alive)) } else { None };
        Operation::Read { key: self.key(), level, node }
    }

    /// Mostly the next message, since there are rarely many.
    fn message(&mut self) -> usize {
        self.dice.pick(&[0, 0, 0, 0, 1, 1, 2, 3])
    }

    /// Mostly a link from the leader, since hardly anything travels on the others.
    fn link(&mut self) -> (NodeId, NodeId) {
        let node = self.mostly(NodeSet::from_iter([self.leader]));
        let peer = self.mostly(self.nodes.without(NodeSet::from_iter([node])));
        (node, peer)
    }

    fn set_replica_slow(&mut self) -> Operation {
        let slow = self.dice.chance(1, 2);
        let node = if slow {
            self.mostly(self.followers().without(self.slow))
        } else {
            self.mostly(self.followers().and(self.slow))
        };
        if slow {
            self.slow.insert(node);
        } else {
            self.slow.remove(node);
        }
        Operation::SetReplicaSlow { node, slow }
    }

    fn crash(&mut self) -> Operation {
        let node = self.mostly(self.alive);
        self.alive.remove(node);
        Operation::Crash { node, lose_unfsynced: self.dice.chance(2, 3) }
    }

    fn followers(&self) -> NodeSet {
        self.alive.without(NodeSet::from_iter([self.leader]))
    }

    /// One of `likely`; now and then, or if that is empty, any node.
    fn mostly(&mut self, likely: NodeSet) -> NodeId {
        let blind = self.dice.chance(1, BLIND_ONE_IN);
        let from = if blind || likely.is_empty() { self.nodes } else { likely };
        let place = self.dice.below(from.len() as u32) as usize;
        from.iter().nth(place).unwrap_or(self.leader)
    }
}
