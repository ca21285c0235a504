use highwater::explore::*;
use highwater::invariants::*;
use highwater::isr::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let rules = Rules::from_name(&a[1]).unwrap();
    let model = IsrModel { keys: 1, values: Values::Fresh, network_faults: a.get(5).is_some() };
    println!(
        "partition {} checker {}",
        std::mem::size_of::<Partition>(),
        std::mem::size_of::<Checker>()
    );
    let mut settings = Settings { rules, ..Settings::DEFAULTS };
    settings.ack_timeout_ticks = 3;
    let e = Exploration {
        model: &model,
        settings,
        bounds: Bounds::parse::<IsrModel>(&a[2]).unwrap(),
        selection: if a[3] == "all" {
            Selection::ALL
        } else {
            Selection::only(InvariantId::from_name(&a[3]).unwrap())
        },
        second_phase: a[4] == "2",
        keep_going: false,
        is_wide: false,
        limits: Limits::default(),
    };
    let t = std::time::Instant::now();
    let r = e.run(
        || true,
        |p| {
            if p.expanded == p.frontier {
                eprintln!("{:?} {:.1}", p, t.elapsed().as_secs_f64())
            }
        },
    );
    println!(
        "{:?} levels {:?} distinct {} generated {} {:?} bytes/state {} load {} {:.2}s",
        r.ended,
        r.levels,
        r.distinct(),
        r.generated(),
        r.collisions,
        r.bytes as f64 / r.distinct() as f64,
        r.load,
        t.elapsed().as_secs_f64()
    );
    println!("tested {:?} halted {}", r.counts.tested, r.counts.halted);
    for c in &r.counterexamples {
        println!("{:?} {:?}", c.operations, c.failure.invariant());
    }
}
