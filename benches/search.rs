//! How many operations a second one thread draws, runs and checks: all invariants, after every
//! operation and every tick, both phases of every run.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use highwater::invariants::Selection;
use highwater::isr::IsrModel;
use highwater::scenario::generate::Generator;
use highwater::search::{Campaign, Stop};

const SEQUENCES: u64 = 2_000;

fn checked_operations(criterion: &mut Criterion) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread starts");
    let (model, source) = (IsrModel::default(), Generator::default());
    let mut group = criterion.benchmark_group("search, one thread, operations");
    for (name, selection) in [("all invariants", Selection::ALL), ("no invariant", Selection::NONE)]
    {
        let campaign = Campaign {
            model: &model,
            source: &source,
            seed: 0,
            range: 0..SEQUENCES,
            selection,
            stop: Stop::AtEnd,
            check_determinism: false,
        };
        let operations = pool.install(|| campaign.run(|| true, |_| ())).tally.operations;
        group.throughput(Throughput::Elements(operations));
        group.bench_function(name, |bencher| {
            bencher.iter(|| pool.install(|| campaign.run(|| true, |_| ())));
        });
    }
    group.finish();
}

criterion_group!(benches, checked_operations);
criterion_main!(benches);
