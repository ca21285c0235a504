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
                let is_foreign = !has_authority(packet, view);
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

fn has_authority<V: View>(packet: Packet, view: &V) -> bool {
    packet.leader_epoch == view.leader_epoch()
        && view.leader() == Some(packet.source)
        && view.leader() == Some(packet.source_leader)
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
