use super::*;
use crate::scenario::Dice;
use loom::sync::Arc;
use std::collections::BTreeSet;

impl Word for loom::sync::atomic::AtomicU64 {
    fn empty() -> Self {
        Self::new(0)
    }

    fn load(&self) -> u64 {
        Self::load(self, Ordering::Acquire)
    }

    fn fill(&self, word: u64) -> Result<(), u64> {
        self.compare_exchange(0, word, Ordering::AcqRel, Ordering::Acquire).map(drop)
    }
}

fn narrow(hash: u64) -> Fingerprint {
    Fingerprint::narrow(hash)
}

fn random(dice: &mut Dice) -> u64 {
    let word = |dice: &mut Dice| u64::from(dice.below(u32::MAX));
    word(dice) << 32 | word(dice)
}

/// What a table of few slots does with all that a test inserts, in every order that threads can take.
fn explore_threads(inserted: [Vec<Fingerprint>; 2]) {
    loom::model(move || {
        let mut table = Table::<loom::sync::atomic::AtomicU64>::new(2, false);
        // Fewer slots behind the last home, so that there is less to explore.
        table.words.truncate(6);
        let table = Arc::new(table);
        let threads = inserted.clone().map(|fingerprints| {
            let table = Arc::clone(&table);
            loom::thread::spawn(move || {
                let insert = |fingerprint| (fingerprint, table.insert(fingerprint));
                fingerprints.into_iter().map(insert).collect::<Vec<_>>()
            })
        });
        let results: Vec<_> =
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        let all: BTreeSet<_> = results.iter().map(|(fingerprint, _)| *fingerprint).collect();
        for &fingerprint in &all {
            let is_new = |one: &&(Fingerprint, Inserted)| **one == (fingerprint, Inserted::New);
            assert_eq!(results.iter().filter(is_new).count(), 1, "{fingerprint:?}");
            assert!(table.contains(fingerprint));
        }
        assert!(results.iter().all(|(_, inserted)| *inserted != Inserted::Full));
        assert_eq!(table.iter_sorted().collect::<BTreeSet<_>>(), all);
    });
}

#[test]
fn of_threads_that_insert_the_same_exactly_one_is_told_that_it_is_new() {
    explore_threads([vec![narrow(7)], vec![narrow(7)]]);
    explore_threads([vec![narrow(7), narrow(8)], vec![narrow(8), narrow(7)]]);
}

#[test]
fn threads_that_meet_in_one_slot_lose_nothing() {
    explore_threads([vec![narrow(7), narrow(9)], vec![narrow(8)]]);
    explore_threads([vec![narrow(u64::MAX)], vec![narrow(u64::MAX - 1), narrow(u64::MAX)]]);
}

#[test]
fn a_reader_sees_what_was_there_before_it_began() {
    loom::model(|| {
        let mut table = Table::<loom::sync::atomic::AtomicU64>::new(2, false);
        table.words.truncate(5);
        table.insert(narrow(5));
        let table = Arc::new(table);
        let writer = {
            let table = Arc::clone(&table);
            loom::thread::spawn(move || table.insert(narrow(6)))
        };
        assert!(table.contains(narrow(5)));
        assert!(!table.contains(narrow(4)));
        assert_eq!(writer.join().unwrap(), Inserted::New);
        assert!(table.contains(narrow(6)));
    });
}

#[test]
fn a_table_holds_what_a_set_holds_also_when_it_grows() {
    for is_wide in [false, true] {
        let mut dice = Dice::new(1, 0);
        let (mut table, mut set) = (Table::<AtomicU64>::new(50, is_wide), BTreeSet::new());
        for number in 0..20_000 {
            if set.len() * 10 > table.homes() * 9 {
                table = table.grown(table.homes() * 5 / 4 + 1);
            }
            // Some come twice, and some have neighbours.
            let word = random(&mut dice) >> (number % 3 * 20);
            let fingerprint = if is_wide {
                Fingerprint::wide(u128::from(word) << 64 | u128::from(dice.below(3)))
            } else {
                narrow(word)
            };
            // Small numbers are all at home in the first slots.
            if word < 1 << 30 && set.len() > 300 {
                continue;
            }
            assert_eq!(table.contains(fingerprint), set.contains(&fingerprint));
            let expected = if set.insert(fingerprint) { Inserted::New } else { Inserted::Known };
            assert_eq!(table.insert(fingerprint), expected);
        }
        assert!(set.len() > 1_000);
        assert!(table.iter_sorted().eq(set), "sorted");
    }
}

#[test]
fn a_full_table_says_so_and_stays_as_it_is() {
    let table = Table::<AtomicU64>::new(1, false);
    for word in 0..=TAIL as u64 {
        assert_eq!(table.insert(narrow(word + 1)), Inserted::New);
    }
    assert_eq!(table.insert(narrow(u64::MAX)), Inserted::Full);
    assert_eq!(table.insert(narrow(1)), Inserted::Known);
    assert_eq!(table.iter_sorted().count(), TAIL + 1);
}

#[test]
fn threads_that_insert_many_find_each_once() {
    let table = Table::<AtomicU64>::new(200_000, false);
    let new: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let table = &table;
                scope.spawn(move || {
                    let mut dice = Dice::new(9, thread % 2);
                    let fingerprints = (0..50_000).map(|_| narrow(random(&mut dice)));
                    fingerprints.filter(|&one| table.insert(one) == Inserted::New).count()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(new, table.iter_sorted().count());
    let mut dice = Dice::new(9, 0);
    assert!((0..50_000).all(|_| table.contains(narrow(random(&mut dice)))));
}
