//! How many inputs of 32 operations a second the fuzz target `isr_ops` takes on one thread: decoded,
//! run with all invariants, both phases. Without the instrumentation that a fuzzer adds.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use highwater::fuzz::isr_ops;
use highwater::isr::{Rules, Variant};
use highwater::scenario::fuzz_input::FuzzInput;
use highwater::scenario::generate::Generator;

const INPUTS: u64 = 1_000;

fn inputs(rules: Rules) -> Vec<Vec<u8>> {
    let source = Generator { rules, operations: 32..=32, ..Generator::default() };
    let inputs = (0..INPUTS).map(|index| {
        let mut operations = Vec::new();
        let settings = source.draw(0, index, &mut operations);
        FuzzInput { settings, operations }.encode().expect("generated numbers are small")
    });
    inputs.collect()
}

fn executions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fuzz target isr_ops, 32 operations, executions");
    let rules = Rules::of(Variant::Hardened);
    let inputs = inputs(rules);
    group.throughput(Throughput::Elements(INPUTS));
    group.bench_function("hardened", |bencher| {
        bencher.iter(|| {
            for bytes in &inputs {
                isr_ops::fuzz(bytes, rules, String::new).expect("hardened is clean");
            }
        });
    });
    group.finish();
}

criterion_group!(benches, executions);
criterion_main!(benches);
