//! `stale-epoch-rejection`: a deposed leader has no say.

use super::Invariant;
use crate::canonical::{Canonical, Sink};
use crate::checker::Finding;
use crate::digest::Digest;
use crate::ledger::Ledger;
use crate::vocabulary::{Entry, Event, Evidence, Fact, Offset, Packet, Table, View};

/// A packet of another leader epoch, or from another leader, changes nothing at its receiver.
#[derive(Debug)]
pub struct StaleEpochRejection;

/// What the receiver of an unauthorized packet held when the packet arrived. Empty between events.
#[derive(Clone, Debug, Default)]
pub struct ReceiverBefore(Option<(Packet, Digest)>);

impl Canonical for ReceiverBefore {
    fn encode(&self, _sink: &mut impl Sink) {}
}

impl Invariant for StaleEpochRejection {
    type Ghost = ReceiverBefore;
    const NAME: &'static str = "stale-epoch-rejection";
    const STATEMENT: &'static str =
        "a packet of another leader epoch, or from another leader, changes nothing at its receiver";

    #[inline]
    fn check<V: View>(
        ghost: &mut ReceiverBefore,
        _ledger: &Ledger,
        event: Event,
        view: &V,
        tested: &mut u64,
    ) -> Result<(), Finding> {
        match event {
            Event::PacketArrived(packet) => {
                let is_foreign = !packet.has_authority(view);
                ghost.0 = is_foreign.then(|| (packet, digest_of_receiver(packet, view)));
                Ok(())
            }
            Event::PacketHandled(packet) => {
                let Some((arrived, before)) = ghost.0.take() else { return Ok(()) };
                if arrived != packet {
                    return Ok(());
                }
                *tested += 1;
                if digest_of_receiver(packet, view) == before {
                    Ok(())
                } else {
                    Err(changed_its_receiver(packet, view).into())
                }
            }
            _ => Ok(()),
        }
    }
}

#[cold]
fn changed_its_receiver<V: View>(packet: Packet, view: &V) -> Evidence {
    let evidence = if packet.leader_epoch == view.leader_epoch() {
        Evidence::new(
            "foreign-leader-obeyed",
            "{receiver} let a packet from {source} in the name of {leader} change it, though both had to be the leader of epoch {current}",
        )
    } else {
        Evidence::new(
            "stale-epoch-obeyed",
            "{receiver} let a packet of leader epoch {epoch} from {source} change it, though the leader epoch is {current}",
        )
    };
    evidence
        .with("receiver", Fact::Node(packet.receiver))
        .with("source", Fact::Node(packet.source))
        .with("leader", Fact::Node(packet.source_leader))
        .with("epoch", Fact::LeaderEpoch(packet.leader_epoch))
        .with("current", Fact::LeaderEpoch(view.leader_epoch()))
}

/// A digest of all that a packet could change at its receiver.
#[cold]
fn digest_of_receiver<V: View>(packet: Packet, view: &V) -> Digest {
    let node = packet.receiver;
    let mut digest = Digest::EMPTY;
    let (log, empty): (&[Entry], &[Entry]) = (view.log(node), &[]);
    log.encode(&mut digest);
    view.durable(node).unwrap_or(empty).encode(&mut digest);
    let Offset(applied) = view.applied_high_watermark(node);
    digest.word(u64::from(applied));
    let nothing = Table::default();
    view.data(node).unwrap_or(&nothing).encode(&mut digest);
    view.committed_data(node).unwrap_or(&nothing).encode(&mut digest);
    digest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InvariantId::StaleEpochRejection;
    use crate::testing::{Partition, Run, entry, node};
    use crate::vocabulary::LeaderEpoch;

    const PACKET: Packet = packet(0, 0, 1);

    /// To the third node, of leader epoch `epoch`.
    const fn packet(source: usize, source_leader: usize, epoch: u32) -> Packet {
        Packet {
            source: crate::NodeId::new(source),
            receiver: crate::NodeId::new(2),
            source_leader: crate::NodeId::new(source_leader),
            leader_epoch: LeaderEpoch(epoch),
        }
    }

    /// The second node leads epoch 2.
    fn in_epoch_two() -> Run {
        let mut partition = Partition::with_log(&[entry(1, 0, 0), entry(1, 0, 1)], 1);
        partition.elect(1);
        Run::new(StaleEpochRejection, partition)
    }

    fn handled(packet: Packet, change: impl FnOnce(&mut Partition)) -> Run {
        let mut run = in_epoch_two();
        run.tell(Event::PacketArrived(packet));
        change(&mut run.partition);
        run.tell(Event::PacketHandled(packet));
        run
    }

    #[test]
    fn a_packet_of_another_epoch_must_change_nothing() {
        let words = "node-3 let a packet of leader epoch 1 from node-1 change it, though the leader epoch is 2";
        let changes: [fn(&mut Partition); 6] = [
            |partition| partition.append(2, entry(1, 0, 2)),
            |partition| partition.meddle(|partition| partition.replicas[2].log[1] = entry(2, 0, 1)),
            |partition| partition.meddle(|partition| partition.replicas[2].applied = Offset(2)),
            |partition| partition.fsync(2),
            |partition| partition.meddle(|partition| partition.replicas[2].data.clear()),
            |partition| partition.meddle(|partition| partition.replicas[2].committed_data.clear()),
        ];
        for change in changes {
            handled(PACKET, change).assert_violated("stale-epoch-obeyed", words);
        }
        handled(packet(1, 1, 3), changes[0]).assert_violated(
            "stale-epoch-obeyed",
            "node-3 let a packet of leader epoch 3 from node-2 change it, though the leader epoch is 2",
        );
    }

    #[test]
    fn a_packet_from_another_leader_must_change_nothing() {
        let change = |partition: &mut Partition| partition.append(2, entry(2, 0, 2));
        handled(packet(0, 1, 2), change).assert_violated(
            "foreign-leader-obeyed",
            "node-3 let a packet from node-1 in the name of node-2 change it, though both had to be the leader of epoch 2",
        );
        handled(packet(1, 0, 2), change).assert_violated(
            "foreign-leader-obeyed",
            "node-3 let a packet from node-2 in the name of node-1 change it, though both had to be the leader of epoch 2",
        );
    }

    #[test]
    fn a_packet_that_is_rejected_has_tested_it() {
        let run = handled(PACKET, |partition| partition.append(1, entry(2, 0, 2)));
        run.assert_holds();
        assert_eq!(run.tested(), 1);
    }

    #[test]
    fn a_packet_of_the_leader_may_change_its_receiver_and_tests_nothing() {
        handled(packet(1, 1, 2), |partition| partition.append(2, entry(2, 0, 2))).assert_untested();
    }

    #[test]
    fn what_another_packet_does_is_not_held_against_the_first() {
        let mut run = in_epoch_two();
        let good = packet(1, 1, 2);
        run.tell(Event::PacketArrived(PACKET));
        run.tell(Event::PacketArrived(good));
        run.partition.append(2, entry(2, 0, 2));
        run.tell(Event::PacketHandled(good));
        run.assert_untested();
        run.tell(Event::PacketArrived(PACKET));
        run.tell(Event::PacketHandled(good));
        run.assert_untested();
    }

    #[test]
    fn without_a_leader_every_packet_is_foreign() {
        let mut run = in_epoch_two();
        run.partition.meddle(|partition| partition.leader = None);
        run.tell(Event::PacketArrived(packet(1, 1, 2)));
        run.partition.append(node(2).index(), entry(2, 0, 2));
        run.tell(Event::PacketHandled(packet(1, 1, 2)));
        run.assert_violated(
            "foreign-leader-obeyed",
            "node-3 let a packet from node-2 in the name of node-2 change it, though both had to be the leader of epoch 2",
        );
    }
}
