//! Symmetry: which models do not care what their nodes are called.

use highwater::invariants::{Renaming, Selection, View};
use highwater::isr::{IsrModel, Settings};
use highwater::model::Model;
use highwater::run::Run;
use highwater::scenario::generate::Generator;

/// Whether renaming the nodes of a sequence renames the ISR after each operation and nothing else.
fn is_renamed(sequence: u64, source: &Generator) -> bool {
    let model = IsrModel::default();
    let mut operations = Vec::new();
    let settings = source.draw(5, sequence, &mut operations);
    let renamings = Renaming::all(settings.nodes);
    let renaming = renamings[sequence as usize % renamings.len()];
    let renamed = Settings { leader: renaming.node(settings.leader), ..settings };
    let mut run = Run::new(&model, &settings, Selection::NONE);
    let mut other = Run::new(&model, &renamed, Selection::NONE);
    operations.into_iter().all(|operation| {
        run.apply(operation);
        other.apply(operation.map_nodes(|node| Some(renaming.node(node))).unwrap());
        renaming.set(run.state().isr()) == other.state().isr()
    })
}

#[test]
fn the_model_isr_does_care_and_says_so() {
    let settings = Settings::DEFAULTS;
    let refused = IsrModel::default().symmetries(&settings).unwrap_err();
    assert!(refused.contains("names of nodes matter to the model isr"));
    // Why: there are sequences that go another way when nodes change names.
    let source = Generator::default();
    let others = (0..400).filter(|&sequence| !is_renamed(sequence, &source)).count();
    assert!(others > 0 && others < 200, "{others}");
}
