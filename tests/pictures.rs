//! Every counterexample can be looked at in every form, and hostile names do no harm there.

use assert_cmd::Command;
use highwater::picture::{Index, Picture};
use highwater::scenario::{AnyScenario, ScenarioFile};
use itf::de::{As, Integer};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn highwater() -> Command {
    Command::cargo_bin("highwater").unwrap()
}

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn regressions() -> Vec<PathBuf> {
    let files = std::fs::read_dir(project("corpus/regressions")).unwrap();
    let mut files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
}

fn picture(file: &Path) -> Picture {
    let scenario = AnyScenario::read(file).unwrap();
    Picture { file: file.display().to_string(), ..scenario.picture(scenario.applicable()) }
}

/// A scenario whose names are as bad as names can be, with faults of messages.
fn hostile() -> Picture {
    picture(&project("tests/browser/scenarios/hostile.json"))
}

fn all() -> Vec<Picture> {
    let pictures: Vec<_> = regressions().iter().map(|file| picture(file)).collect();
    assert!(pictures.len() >= 55);
    pictures.into_iter().chain([hostile()]).collect()
}

/// The data in a page.
fn data_of(page: &str) -> serde_json::Value {
    let begin = "<script type=\"application/json\" id=\"picture\">";
    let (_, rest) = page.split_once(begin).unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(data).unwrap()
}

#[test]
fn a_page_holds_the_whole_run_and_asks_for_nothing() {
    let scripts = picture(&regressions()[0]).html().matches("<script").count();
    for picture in all() {
        let page = picture.html();
        assert!(page.starts_with("<!doctype html>"));
        assert_eq!(data_of(&page), serde_json::to_value(&picture).unwrap());
        assert_eq!(page.matches("<script").count(), scripts, "nothing from the data is markup");
        assert!(page.contains("default-src 'none'"));
        for asks in ["src=\"http", "href=\"http", "@import", "url(http", "fetch(", "XMLHttpRequest"]
        {
            assert!(!page.contains(asks), "{asks}");
        }
    }
}

#[test]
fn a_diagram_fits_into_its_width_and_marks_what_is_violated() {
    for picture in all() {
        assert!(!picture.text(100).contains('\u{1b}'), "text has no colours");
        for width in [60, 80, 100, 160] {
            let room = width.max(7 + 10 * picture.nodes.len());
            let lanes = plain(&picture.lanes(width));
            for line in lanes.lines() {
                assert!(textwrap::core::display_width(line) <= room, "{width}: {line}");
                assert!(!line.chars().any(char::is_control), "{line:?}");
            }
            for violation in &picture.violations {
                let mark = format!("✗ VIOLATED {}", violation.invariant);
                assert!(lanes.contains(&mark), "{mark}\n{lanes}");
            }
        }
    }
}

/// Text without a terminal's colours.
fn plain(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').unwrap().1);
    }
    plain
}

#[test]
fn a_mermaid_diagram_has_nothing_in_it_but_what_mermaid_knows() {
    for picture in all() {
        let diagram = picture.mermaid();
        let mut lines = diagram.lines();
        assert_eq!(lines.next(), Some("sequenceDiagram"));
        let mut arrows = 0;
        for line in lines {
            let line = line.strip_prefix("    ").unwrap();
            let (head, text) =
                line.split_once(": ").unwrap_or_else(|| line.split_once(" as ").unwrap());
            let is_arrow = ["->>", "--x", "-x", "--)"].iter().any(|arrow| head.contains(arrow));
            arrows += usize::from(is_arrow);
            assert!(
                is_arrow || head.starts_with("Note over n") || head.starts_with("participant n")
            );
            for entity in text.split('#').skip(1) {
                let number = entity.split_once(';').unwrap().0;
                assert!(number.parse::<u32>().is_ok(), "{line}");
            }
        }
        let violated = diagram.matches("✗ VIOLATED").count();
        assert_eq!(violated, picture.violations.len());
        let main = picture.violations.first().map(|one| one.step);
        let steps = picture.steps.iter().enumerate();
        let shown = steps.filter(|(index, step)| step.number.is_some() || main == Some(*index));
        let shown: BTreeSet<_> =
            shown.flat_map(|(_, step)| &step.events).map(|event| event.sequence).collect();
        let arrived = |message: &highwater::picture::Message| {
            message.arrivals.iter().filter(|arrival| shown.contains(&arrival.sequence)).count()
        };
        let arrived: usize = picture.messages.iter().map(arrived).sum();
        let in_flight = picture.messages.iter().filter(|message| message.arrivals.is_empty());
        assert_eq!(arrows, arrived + in_flight.count(), "{diagram}");
    }
}

/// What a reader of the trace makes of a state.
#[derive(Deserialize, Debug)]
struct State {
    #[serde(with = "As::<Integer>")]
    step: i64,
    action: String,
    leader: BTreeSet<String>,
    isr: BTreeSet<String>,
    nodes: BTreeMap<String, Node>,
    #[serde(default, with = "As::<Option<Integer>>")]
    high_watermark: Option<i64>,
    violated: BTreeSet<String>,
}

#[derive(Deserialize, Debug)]
struct Node {
    alive: bool,
    log: Vec<Entry>,
    #[serde(with = "As::<Integer>")]
    high_watermark: i64,
    #[serde(with = "As::<BTreeSet<Integer>>")]
    durable: BTreeSet<i64>,
}

#[derive(Deserialize, Debug)]
struct Entry {
    #[serde(with = "As::<Integer>")]
    epoch: i64,
    entry: String,
}

#[test]
fn an_itf_trace_is_read_by_the_itf_crate_as_what_it_is() {
    for picture in all() {
        let trace: itf::Trace<State> = itf::trace_from_value(picture.itf()).unwrap();
        assert_eq!(trace.states.len(), picture.steps.len());
        let mut violated = BTreeSet::new();
        for (state, step) in trace.states.iter().map(|state| &state.value).zip(&picture.steps) {
            assert_eq!(state.action, step.words);
            assert_eq!(state.leader.iter().next(), step.leader.as_ref());
            assert_eq!(state.isr, step.isr.iter().cloned().collect());
            assert_eq!(state.high_watermark, step.high_watermark.map(|it| it as i64));
            assert_eq!(picture.steps[state.step as usize].words, step.words);
            for node in &step.nodes {
                let read = &state.nodes[&node.name];
                assert_eq!(read.alive, node.alive);
                assert_eq!(read.high_watermark, node.high_watermark as i64);
                assert_eq!(read.durable, node.durable.map(|it| it as i64).into_iter().collect());
                let log = read.log.iter().map(|entry| (entry.epoch, &entry.entry));
                assert!(log.eq(node.log.iter().map(|entry| (entry.epoch, &entry.text))));
            }
            violated.extend(state.violated.iter().cloned());
        }
        let expected = picture.violations.iter().map(|one| one.invariant.clone());
        assert_eq!(violated, expected.collect());
    }
}

#[test]
fn what_is_printed_as_json_has_the_schema_that_is_documented() {
    let schema = schemars::schema_for!(Picture);
    let schema = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
    same_as_file("src/picture/replay.schema.json", &schema);
}

#[test]
fn a_rust_test_is_what_the_committed_one_is() {
    let file = "corpus/regressions/published-acked-durability-acked-not-in-history.json";
    let output = highwater().args(["replay", "--rust-test"]).arg(project(file)).assert().code(0);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    same_as_file("tests/generated/rust_test.rs", &text);
    // Whatever a scenario says, its text ends where it should.
    let text = hostile().rust_test();
    let fence = text.split("r#").nth(1).unwrap().split('"').next().unwrap();
    let end = format!("\"#{fence}");
    assert_eq!(text.matches(&end).count(), 1, "{text}");
}

/// Compares with a committed file, or writes it if `HIGHWATER_UPDATE` says so.
fn same_as_file(path: &str, content: &str) {
    if std::env::var_os("HIGHWATER_UPDATE").is_some() {
        std::fs::write(project(path), content).unwrap();
    }
    let there = std::fs::read_to_string(project(path)).unwrap_or_default();
    assert!(there == content, "{path} is out of date: run this test with HIGHWATER_UPDATE=1");
}

#[test]
fn commands_write_pages_and_overwrite_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let file = project("corpus/regressions/kip-101-weak-isr.json");
    let replay = |out: &Path, code: i32| {
        highwater().arg("replay").arg(&file).arg("--html").arg(out).assert().code(code)
    };
    replay(&path("page.html"), 0).stdout(contains("page.html")).stderr("");
    replay(&path("page.html"), 0);
    let page = std::fs::read_to_string(path("page.html")).unwrap();
    assert_eq!(data_of(&page)["violations"][0]["invariant"], "weak-isr");
    std::fs::copy(&file, path("mine.json")).unwrap();
    replay(&path("mine.json"), 2).stderr(contains("mine.json").and(contains("no page")));
    assert_eq!(std::fs::read(path("mine.json")).unwrap(), std::fs::read(&file).unwrap());
    replay(&path("page.html/under"), 2).stderr(contains("under"));
    if Path::new("/dev/full").exists() {
        replay(Path::new("/dev/full"), 2).stderr(contains("no page"));
    }
    // Two of one name are two pages.
    std::fs::create_dir(path("other")).unwrap();
    let same = path("other/kip-101-weak-isr.json");
    std::fs::copy(project("corpus/regressions/kip-279-weak-isr.json"), &same).unwrap();
    highwater().arg("replay").args([&file, &same]).arg("--html").arg(path("two")).assert().code(0);
    assert_eq!(std::fs::read_dir(path("two")).unwrap().count(), 2);
    for one in ["--mermaid", "--itf", "--rust-test"] {
        highwater().arg("replay").args([&file, &file]).arg(one).assert().code(2);
    }
    let pages = |command: &[&str]| {
        let mut run = highwater();
        run.current_dir(folder.path()).args(command).args(["--html", "pages", "--out", "found"]);
        run.assert().code(1).stdout(contains("page: pages"));
        let pages = std::fs::read_dir(path("pages")).unwrap();
        pages.map(|page| page.unwrap().path()).collect::<BTreeSet<_>>()
    };
    let found = pages(&["search", "--sequences", "600"]);
    assert_eq!(found.len(), 1);
    let size = ["--replicas", "2", "--log-size", "1", "--max-records", "1"];
    let found = pages(&[&["explore", "--model", "kip:truncate-to-hw"][..], &size].concat());
    assert_eq!(found.len(), 2);
    for page in found {
        assert_ne!(data_of(&std::fs::read_to_string(&page).unwrap())["verdict"], "clean");
    }
}

#[test]
fn a_report_is_an_index_and_a_page_for_each() {
    let folder = tempfile::tempdir().unwrap();
    let report = |files: &[PathBuf], code: i32| {
        let mut command = highwater();
        command.arg("report").args(files).arg("--out").arg(folder.path().join("report"));
        command.assert().code(code)
    };
    let files = regressions();
    // Two of one name.
    let again = folder.path().join(files[0].file_name().unwrap());
    std::fs::copy(&files[0], &again).unwrap();
    let files: Vec<_> = files.into_iter().chain([again]).collect();
    report(&files, 0).stdout(contains("index.html"));
    report(&files, 0);
    let read =
        |name: &str| std::fs::read_to_string(folder.path().join("report").join(name)).unwrap();
    let index = data_of(&read("index.html"));
    let scenarios = index["scenarios"].as_array().unwrap();
    assert_eq!(scenarios.len(), files.len());
    let pages: BTreeSet<_> = scenarios.iter().map(|one| one["page"].as_str().unwrap()).collect();
    assert_eq!(pages.len(), files.len());
    for (scenario, file) in scenarios.iter().zip(&files) {
        assert_eq!(scenario["expectation_met"], true);
        let page = data_of(&read(scenario["page"].as_str().unwrap()));
        assert_eq!(page["file"], file.display().to_string());
    }
    report(&[], 2).stderr(contains("no FILE"));
    let bad = folder.path().join("bad.json");
    std::fs::write(&bad, "{}").unwrap();
    report(&[files[0].clone(), bad], 2).stderr(contains("bad.json"));
    assert!(Index::of("none", []).html().contains("none"));
}

#[test]
fn a_scenario_that_a_page_embeds_is_the_scenario() {
    for file in regressions() {
        let picture = picture(&file);
        let again = AnyScenario::parse(&file, picture.scenario.as_bytes()).unwrap();
        assert_eq!(again.to_json(), std::fs::read_to_string(&file).unwrap());
    }
}
