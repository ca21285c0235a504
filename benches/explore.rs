//! How many states a second exploration visits, on one thread and on all.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use highwater::explore::{Bounds, Exploration, Limits};
use highwater::invariants::Selection;
use highwater::isr::{IsrModel, Rules, Settings, Variant};

fn states(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("explore isr hardened, states");
    group.sample_size(10);
    let exploration = Exploration {
        model: &IsrModel::FRESH,
        settings: Settings { rules: Rules::of(Variant::Hardened), ..Settings::SMALL },
        bounds: Bounds::parse::<IsrModel>(
            "submit=2,controller_elect=1,crash_losing=1,restart,tick",
        )
        .expect("the bounds are right"),
        selection: Selection::ALL,
        second_phase: false,
        keep_going: false,
        is_wide: false,
        symmetries: Vec::new(),
        limits: Limits::default(),
    };
    for threads in [1, 0] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.expect("threads start");
        let explore = || pool.install(|| exploration.run(|| true, |_| ()));
        group.throughput(Throughput::Elements(explore().distinct()));
        let id = BenchmarkId::new("threads", pool.current_num_threads());
        group.bench_function(id, |bencher| bencher.iter(explore));
    }
    group.finish();
}

criterion_group!(benches, states);
criterion_main!(benches);
