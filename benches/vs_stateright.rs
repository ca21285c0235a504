//! The very same states, visited by Highwater's explorer and by stateright (crates.io), with the same
//! checks and the same number of threads. Both must count the same states.
//!
//! `cargo bench --bench vs_stateright`. Resident memory is read from the operating system, so each
//! engine runs in a process of its own.

use highwater::explore::{Bounds, Exploration, Limits, Node, Space};
use highwater::invariants::{Selection, Sink};
use highwater::isr::{IsrModel, Operation, Rules, Settings, Values, Variant};
use stateright::{Checker, Model, Property};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::process::Command;
use std::time::Instant;

const MODEL: IsrModel =
    IsrModel { keys: 1, values: Values::Fresh, network_faults: false, delay_ticks_max: 1 };
const BOUNDS: &str = "submit=2,controller_elect=1,crash_losing=1,restart,isolate=1,heal=1,tick";
const THREADS: usize = 2;

fn settings() -> Settings {
    Settings {
        rules: Rules::of(Variant::Hardened),
        replica_lag_timeout_ticks: 1,
        log_retention_entries: 2,
        ack_timeout_ticks: 2,
        lease_duration_ticks: 1,
        ..Settings::DEFAULTS
    }
}

/// The model as stateright sees it.
struct Adapter {
    bounds: &'static Bounds,
}

impl Adapter {
    fn space(&self) -> Space<'static, IsrModel> {
        Space { model: &MODEL, bounds: self.bounds, is_wide: false, symmetries: &[] }
    }
}

/// A state that stateright can hash: by its canonical encoding, as Highwater does.
struct State(Node<IsrModel>, &'static Bounds);

impl Clone for State {
    fn clone(&self) -> Self {
        Self(self.0.clone(), self.1)
    }
}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        struct Words<'h, H>(&'h mut H);
        impl<H: Hasher> Sink for Words<'_, H> {
            fn word(&mut self, word: u64) {
                self.0.write_u64(word);
            }
        }
        let space = Space { model: &MODEL, bounds: self.1, is_wide: false, symmetries: &[] };
        space.encode(&self.0, &mut Words(hasher));
    }
}

/// Asked for, and not used to visit states.
impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        let words = |state: &Self| {
            let mut words: Vec<u64> = Vec::new();
            let space = Space { model: &MODEL, bounds: state.1, is_wide: false, symmetries: &[] };
            space.encode(&state.0, &mut words);
            words
        };
        words(self) == words(other)
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a partition")
    }
}

impl Model for Adapter {
    type State = State;
    type Action = Operation;

    fn init_states(&self) -> Vec<State> {
        vec![State(Node::initial(&MODEL, &settings(), Selection::ALL), self.bounds)]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Operation>) {
        let space = self.space();
        space.offered(&state.0, actions);
        actions.retain(|&operation| space.allows(&state.0, operation));
    }

    fn next_state(&self, last: &State, operation: Operation) -> Option<State> {
        let mut next = last.clone();
        self.space().apply(&mut next.0, operation);
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("no invariant is violated", |_, state: &State| {
            state.0.checker.violations().is_empty()
        })]
    }
}

/// States visited, generated, and whether nothing is violated.
fn by_highwater(bounds: &'static Bounds) -> (u64, u64, bool) {
    let exploration = Exploration {
        model: &MODEL,
        settings: settings(),
        bounds: bounds.clone(),
        selection: Selection::ALL,
        second_phase: false,
        keep_going: false,
        is_wide: false,
        symmetries: Vec::new(),
        limits: Limits::default(),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(THREADS).build().expect("threads start");
    let explored = pool.install(|| exploration.run(|| true, |_| ()));
    (explored.distinct(), explored.generated(), explored.is_clean())
}

fn by_stateright(bounds: &'static Bounds) -> (u64, u64, bool) {
    let checker = Adapter { bounds }.checker().threads(THREADS).spawn_bfs().join();
    let is_clean = checker.discoveries().is_empty();
    (checker.unique_state_count() as u64, checker.state_count() as u64, is_clean)
}

/// Peak resident memory of this process, in bytes. 0 if the system does not say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

fn main() {
    // Cargo's own arguments begin with dashes.
    let arguments: Vec<_> = std::env::args().skip(1).filter(|one| !one.starts_with("--")).collect();
    let bounds = arguments.get(1).map_or(BOUNDS, String::as_str);
    if let Some(engine) = arguments.first() {
        let bounds = Bounds::parse::<IsrModel>(bounds).expect("the bounds are right");
        let bounds: &'static Bounds = Box::leak(Box::new(bounds));
        let before = peak_memory();
        let started = Instant::now();
        let (distinct, generated, is_clean) = match engine.as_str() {
            "highwater" => by_highwater(bounds),
            _ => by_stateright(bounds),
        };
        let seconds = started.elapsed().as_secs_f64();
        let memory = peak_memory() - before;
        println!("{distinct} {generated} {is_clean} {seconds} {memory}");
        return;
    }
    println!("model isr, variant hardened, {THREADS} threads, bounds {bounds}");
    println!("engine        states  generated   clean  seconds   states/s  bytes/state (peak)");
    let mut counted = Vec::new();
    for engine in ["highwater", "stateright"] {
        let program = std::env::current_exe().expect("this program has a name");
        let output = Command::new(program).args([engine, bounds]).output().expect("it runs");
        let text = String::from_utf8(output.stdout).expect("it prints text");
        let fields: Vec<_> = text.split_whitespace().collect();
        let [distinct, generated, is_clean, seconds, memory] = fields[..] else {
            panic!("{engine}: {text}{}", String::from_utf8_lossy(&output.stderr));
        };
        let number = |text: &str| text.parse::<f64>().expect("a number");
        println!(
            "{engine:<10} {distinct:>9} {generated:>10} {is_clean:>7} {:>8.2} {:>10.0} {:>12.1}",
            number(seconds),
            number(distinct) / number(seconds),
            number(memory) / number(distinct)
        );
        counted.push((distinct.to_owned(), is_clean.to_owned(), number(seconds)));
    }
    assert_eq!(counted[0].0, counted[1].0, "both must count the same states");
    assert_eq!(counted[0].1, counted[1].1, "both must come to the same verdict");
    println!("highwater visits {:.1} times as many states a second", counted[1].2 / counted[0].2);
}
