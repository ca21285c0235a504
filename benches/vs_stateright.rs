//! The very same states, visited by Highwater's explorer and by stateright (crates.io), with the same
//! checks and the same number of threads. Both must count the same states.
//!
//! `cargo bench --bench vs_stateright`. Resident memory is read from the operating system, so each
//! engine runs in a process of its own.

use highwater::explore::{Bounds, Exploration, Limits, Node, Space};
use highwater::invariants::{InvariantId, Selection, Sink};
use highwater::isr::{IsrModel, Rules, Settings, Variant};
use highwater::kip::{KipModel, KipSettings, Preset};
use highwater::model::Model;
use stateright::{Checker, Property};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::process::Command;
use std::time::Instant;

const THREADS: usize = 2;
const SUBJECTS: [&str; 2] = ["isr hardened", "kip:320"];

fn isr_settings() -> Settings {
    Settings { rules: Rules::of(Variant::Hardened), ..Settings::SMALL }
}

fn isr_bounds() -> Bounds {
    let bounds = "submit=2,controller_elect=1,crash_losing=1,restart,isolate=1,heal=1,tick";
    Bounds::parse::<IsrModel>(bounds).expect("the bounds are right")
}

/// 3 replicas, log size 2, 2 records, last leader epoch 2.
fn kip_settings() -> KipSettings {
    KipSettings {
        replicas: 3,
        log_size: 2,
        max_records: 2,
        max_leader_epoch: 2,
        rules: Preset::Kip320.rules(),
    }
}

/// What is visited, for as long as the process lives.
struct Subject<M: Model> {
    model: M,
    settings: M::Settings,
    bounds: Bounds,
    selection: Selection,
}

impl<M: Model> Subject<M> {
    fn space(&self) -> Space<'_, M> {
        Space { model: &self.model, bounds: &self.bounds, is_wide: false, symmetries: &[] }
    }
}

/// The subject as stateright sees it.
struct Adapter<M: Model + 'static>(&'static Subject<M>);

/// A state that stateright can hash: by its canonical encoding, as Highwater does.
struct State<M: Model + 'static>(Node<M>, &'static Subject<M>);

impl<M: Model> Clone for State<M> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), self.1)
    }
}

impl<M: Model> Hash for State<M> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        struct Words<'h, H>(&'h mut H);
        impl<H: Hasher> Sink for Words<'_, H> {
            fn word(&mut self, word: u64) {
                self.0.write_u64(word);
            }
        }
        self.1.space().encode(&self.0, &mut Words(hasher));
    }
}

/// Asked for, and not used to visit states.
impl<M: Model> PartialEq for State<M> {
    fn eq(&self, other: &Self) -> bool {
        let words = |state: &Self| {
            let mut words: Vec<u64> = Vec::new();
            state.1.space().encode(&state.0, &mut words);
            words
        };
        words(self) == words(other)
    }
}

impl<M: Model> fmt::Debug for State<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a partition")
    }
}

impl<M: Model> stateright::Model for Adapter<M> {
    type State = State<M>;
    type Action = M::Operation;

    fn init_states(&self) -> Vec<State<M>> {
        let Subject { model, settings, selection, .. } = self.0;
        vec![State(Node::initial(model, settings, *selection), self.0)]
    }

    fn actions(&self, state: &State<M>, actions: &mut Vec<M::Operation>) {
        let space = self.0.space();
        space.offered(&state.0, actions);
        actions.retain(|&operation| space.allows(&state.0, operation));
    }

    fn next_state(&self, last: &State<M>, operation: M::Operation) -> Option<State<M>> {
        let mut next = last.clone();
        self.0.space().apply(&mut next.0, operation);
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("no invariant is violated", |_, state: &State<M>| {
            state.0.checker.violations().is_empty()
        })]
    }
}

/// States visited, generated, and whether nothing is violated.
type Counted = (u64, u64, bool);

fn count<M>(subject: Subject<M>, engine: &str) -> Counted
where
    M: Model + Send + Sync + 'static,
    M::Settings: Send + Sync,
    M::State: Send + Sync,
    M::Operation: Send + Sync,
{
    let subject: &'static Subject<M> = Box::leak(Box::new(subject));
    if engine == "stateright" {
        use stateright::Model as _;
        let checker = Adapter(subject).checker().threads(THREADS).spawn_bfs().join();
        let is_clean = checker.discoveries().is_empty();
        return (checker.unique_state_count() as u64, checker.state_count() as u64, is_clean);
    }
    let exploration = Exploration {
        model: &subject.model,
        settings: subject.settings.clone(),
        bounds: subject.bounds.clone(),
        selection: subject.selection,
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

fn count_by_name(subject: &str, engine: &str) -> Counted {
    if subject == "kip:320" {
        let selection = Selection::of(&[InvariantId::WeakIsr, InvariantId::StrongIsr]);
        let (settings, bounds) = (kip_settings(), Bounds::none::<KipModel>());
        return count(Subject { model: KipModel, settings, bounds, selection }, engine);
    }
    let (settings, bounds) = (isr_settings(), isr_bounds());
    count(Subject { model: IsrModel::FRESH, settings, bounds, selection: Selection::ALL }, engine)
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
    if let [subject, engine] = &arguments[..] {
        let before = peak_memory();
        let started = Instant::now();
        let (distinct, generated, is_clean) = count_by_name(subject, engine);
        let seconds = started.elapsed().as_secs_f64();
        let memory = peak_memory() - before;
        println!("{distinct} {generated} {is_clean} {seconds} {memory}");
        return;
    }
    println!("{THREADS} threads, the same states, the same checks");
    println!(
        "subject       engine        states  generated   clean  seconds   states/s  bytes/state (peak)"
    );
    for subject in SUBJECTS {
        let [highwater, stateright] = ["highwater", "stateright"].map(|engine| {
            let program = std::env::current_exe().expect("this program has a name");
            let output = Command::new(program).args([subject, engine]).output().expect("it runs");
            let text = String::from_utf8(output.stdout).expect("it prints text");
            let fields: Vec<_> = text.split_whitespace().collect();
            let [distinct, generated, is_clean, seconds, memory] = fields[..] else {
                panic!("{engine}: {text}{}", String::from_utf8_lossy(&output.stderr));
            };
            let number = |text: &str| text.parse::<f64>().expect("a number");
            println!(
                "{subject:<13} {engine:<10} {distinct:>9} {generated:>10} {is_clean:>7} {:>8.2} {:>10.0} {:>12.1}",
                number(seconds),
                number(distinct) / number(seconds),
                number(memory) / number(distinct)
            );
            (distinct.to_owned(), is_clean.to_owned(), number(seconds))
        });
        assert_eq!(highwater.0, stateright.0, "both must count the same states");
        assert_eq!(highwater.1, stateright.1, "both must come to the same verdict");
        println!(
            "highwater visits {:.1} times as many states a second",
            stateright.2 / highwater.2
        );
    }
}
