//! The published variant behaves as the reference simulator does: every outcome, every state after
//! every operation, every trace event.

use highwater::conform::conform;
use std::io::Write;
use std::path::PathBuf;

fn reference() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus/reference/minidist-isr.jsonl.gz")
}

#[test]
fn all_300_golden_runs_pass() {
    let conformance = conform(&[reference()], || ()).unwrap();
    assert!(conformance.first_difference.is_none(), "{:?}", conformance.first_difference);
    assert_eq!((conformance.passed, conformance.failed), (300, 0));
}

/// The golden lines, and one of them with something in it changed.
fn with_one_change(name: &str, from: &str, to: &str) -> highwater::conform::Conformance {
    let mut text = String::new();
    let bytes = std::fs::read(reference()).unwrap();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut text)
        .unwrap();
    let line = text.lines().find(|line| line.contains(&format!("\"name\":\"{name}\""))).unwrap();
    assert!(line.contains(from), "the line holds what is to be changed");
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, "{}\n{line}", line.replacen(from, to, 1)).unwrap();
    conform(&[file.path().to_owned()], || ()).unwrap()
}

#[test]
fn a_run_that_differs_fails_and_the_first_difference_is_named() {
    let changes = [
        ("\"offset\":1},\"state\"", "\"offset\":7},\"state\"", "outcome.offset"),
        ("\"durable_offset\":0", "\"durable_offset\":1", "durable_offset"),
        ("\"sequence\":9,", "\"sequence\":10,", "trace[9].sequence"),
        ("\"kind\":\"message_sent\"", "\"kind\":\"message_lost\"", ".kind"),
    ];
    for (from, to, field) in changes {
        let conformance = with_one_change("s1-0005", from, to);
        assert_eq!((conformance.passed, conformance.failed), (1, 1));
        let run = conformance.first_difference.unwrap();
        assert_eq!((run.line, run.name.as_str()), (1, "s1-0005"));
        assert!(run.difference.field.ends_with(field), "{:?}", run.difference);
    }
}

#[test]
fn a_trace_that_is_too_long_or_too_short_fails() {
    let last = "\"kind\":\"isr_group_created\"";
    let conformance = with_one_change("s1-0005", last, "\"kind\":\"isr_group_made\"");
    assert_eq!(conformance.first_difference.unwrap().difference.field, "trace[1].kind");

    let extra = "\"trace\":[";
    let conformance = with_one_change("s1-0097", extra, "\"trace\":[{\"sequence\":0}");
    assert_eq!(conformance.failed, 1, "a refused configuration records nothing");
}
