//! The hot loop does not allocate: applying an operation and checking every invariant costs no
//! allocation, as long as logs and queues stay within their inline room.
#![allow(unsafe_code, reason = "a global allocator is unsafe to implement")]

use highwater::invariants::Selection;
use highwater::isr::{AckLevel, IsrModel, Operation, ReadLevel, Settings};
use highwater::run::Run;
use highwater::scenario::generate::Generator;
use highwater::search::{Campaign, Stop};
use highwater_invariants::{KeyId, NodeId, ValueId};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Allocations of this thread, so that other tests do not count.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

/// SAFETY: every call is handed to the system's allocator as it came; counting touches no memory
/// that it manages.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's contract is the system allocator's.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is the system allocator's.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's contract is the system allocator's.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(of: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.with(Cell::get);
    of();
    ALLOCATIONS.with(Cell::get) - before
}

fn settings() -> Settings {
    let mut settings = Generator::default().draw(0, 0, &mut Vec::new());
    settings.nodes = 3;
    settings.min_insync_replicas = 2;
    settings
}

fn write(value: usize, ack: AckLevel) -> Operation {
    Operation::Write { key: KeyId(0), value: ValueId::from_index(value).unwrap(), ack }
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 1);
}

#[test]
fn sixteen_writes_with_all_invariants_checked_allocate_nothing() {
    let (model, settings) = (IsrModel::default(), settings());
    let mut run = Run::new(&model, &settings, Selection::ALL);
    let levels = [AckLevel::AllIsr, AckLevel::Leader];
    let count = allocations(|| {
        for value in 0..16 {
            run.apply(write(value, levels[value % 2]));
            run.apply(Operation::Read {
                key: KeyId(0),
                level: ReadLevel::Linearizable,
                node: None,
            });
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn ten_thousand_faults_and_ticks_allocate_nothing() {
    let (model, settings) = (IsrModel::default(), settings());
    let mut run = Run::new(&model, &settings, Selection::ALL);
    let node = NodeId::new(1);
    let round = [
        Operation::Tick,
        Operation::Fsync { node },
        Operation::SetReplicaSlow { node, slow: true },
        Operation::SetReplicaSlow { node, slow: false },
        Operation::Crash { node, lose_unfsynced: true },
        Operation::Restart { node },
        Operation::Isolate { node },
        Operation::Heal { node },
        Operation::LeaseRead { node: NodeId::new(0), key: KeyId(0) },
        Operation::RunUntilIdle,
    ];
    for value in 0..4 {
        run.apply(write(value, AckLevel::AllIsr));
    }
    // The first round may take the room that later ones use again.
    for &operation in &round {
        run.apply(operation);
    }
    let count = allocations(|| {
        for _ in 0..1_000 {
            for &operation in &round {
                run.apply(operation);
            }
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn generated_sequences_allocate_a_few_times_each_and_not_per_operation() {
    let (model, source) =
        (IsrModel::default(), Generator { operations: 20..=20, ..Generator::default() });
    let campaign = Campaign {
        model: &model,
        source: &source,
        seed: 0,
        range: 0..2_000,
        selection: Selection::ALL,
        stop: Stop::AtEnd,
        check_determinism: false,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let count = pool.install(|| allocations(|| drop(campaign.run(|| true, |_| ()))));
    // Long logs of partitions that do not recover, storms and snapshots take room on the heap.
    assert!(count < 8 * 2_000, "{count} allocations for 2,000 sequences of 20 operations");
}
