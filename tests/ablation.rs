//! Every guard of the hardened variant is needed: without it something is violated, and what it is
//! does not change unnoticed.

use highwater::invariants::Selection;
use highwater::isr::{Guard, Guards, IsrModel, Rules, Variant};
use highwater::scenario::generate::Generator;
use highwater::search::{Ablation, ablate};

fn without(guard: Guard) -> Ablation<IsrModel> {
    let rules = Rules::of(Variant::Hardened).without(guard);
    let source = Generator { rules, ..Generator::default() };
    ablate(&IsrModel::default(), &source, 0, 1_000_000, Selection::ALL, || true)
}

/// Guard, the invariant that catches its absence in the shortest scenario, the operations of that,
/// and how many invariants are violated in all. Pinned: a change here is a change of the protocol,
/// the generator or the shrinker, and must be meant.
const MATRIX: [(&str, &str, usize, usize); 23] = [
    ("epoch-check", "stale-epoch-rejection", 6, 1),
    ("next-offset", "committed-prefix-agreement", 4, 9),
    ("elect-from-isr", "committed-prefix-agreement", 3, 7),
    ("hw-over-isr", "hw-within-isr", 1, 7),
    ("wait-above-min-insync", "min-insync-admission", 6, 1),
    ("rejoin-caught-up", "hw-within-isr", 4, 7),
    ("read-committed", "linearizable-read-below-hw", 2, 2),
    ("lease-owner", "linearizable-read-below-hw", 3, 2),
    ("retain-leaders-log", "epoch-order", 6, 1),
    ("fence-lossy-leader", "committed-prefix-agreement", 3, 9),
    ("replace-fenced-leader", "recovery", 2, 1),
    ("match-before-append", "committed-prefix-agreement", 5, 4),
    ("match-before-replay", "recovery", 3, 2),
    ("match-before-join", "committed-prefix-agreement", 6, 3),
    ("count-matching", "committed-prefix-agreement", 4, 5),
    ("cut-durable-image", "durable-prefix", 4, 2),
    ("apply-matching", "committed-prefix-agreement", 3, 2),
    ("commit-on-min-insync", "committed-on-min-insync", 2, 1),
    ("fence-waiting-writes", "min-insync-admission", 3, 3),
    ("snapshot-never-back", "hw-monotonicity", 5, 2),
    ("one-catch-up", "quiescence", 14, 1),
    ("lag-by-first-missing", "recovery", 0, 1),
    ("retry-catch-up", "recovery", 2, 1),
];

#[test]
fn the_absence_of_every_guard_is_caught_and_the_matrix_is_as_pinned() {
    let mut found = Vec::new();
    for guard in Variant::Hardened.guards().iter() {
        let ablation = without(guard);
        let (invariant, shrunk) =
            ablation.caught_by().unwrap_or_else(|| panic!("{guard} is not missed"));
        let catcher = guard.catcher();
        assert!(
            ablation.shortest.contains_key(&catcher),
            "{guard}: {} says nothing",
            catcher.name()
        );
        let row =
            (guard.name(), invariant.name(), shrunk.case.operations.len(), ablation.shortest.len());
        found.push(row);
    }
    assert_eq!(found, MATRIX);
}

#[test]
fn hardened_has_every_guard_and_published_those_that_its_protocol_page_has() {
    assert_eq!(Variant::Hardened.guards(), Guards::ALL);
    let published: Vec<_> = Variant::Published.guards().iter().map(Guard::name).collect();
    assert_eq!(
        published,
        [
            "epoch-check",
            "next-offset",
            "elect-from-isr",
            "hw-over-isr",
            "wait-above-min-insync",
            "rejoin-caught-up",
            "read-committed",
            "lease-owner",
        ]
    );
}

#[test]
fn the_place_of_every_guard_is_a_file_that_asks_for_it() {
    for &guard in Guard::ALL {
        let file = format!("{}/src/isr/{}", env!("CARGO_MANIFEST_DIR"), guard.place());
        let content = std::fs::read_to_string(&file).unwrap();
        assert!(
            content.contains(&format!("Guard::{guard:?}")),
            "{file} does not ask for {guard:?}"
        );
    }
}
