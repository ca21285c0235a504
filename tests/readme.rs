//! The README tells the truth: its commands run, and print what it says that they print.

use assert_cmd::Command;
use highwater::scenario::Scenario;
use highwater::scenario::fuzz_input::FuzzInput;
use std::path::{Path, PathBuf};

const README: &str = include_str!("../README.md");

/// The commands of all `console` blocks, each with the output that the page shows for it.
fn commands() -> Vec<(String, Vec<String>)> {
    let mut commands = Vec::new();
    let mut is_console = false;
    for line in README.lines() {
        if line.starts_with("```") {
            is_console = line == "```console";
        } else if is_console && let Some(command) = line.strip_prefix("$ ") {
            let command = command.split('#').next().unwrap_or_default().trim();
            commands.push((command.to_owned(), Vec::new()));
        } else if is_console {
            let (_, output) = commands.last_mut().expect("output follows a command");
            output.push(line.trim_end().to_owned());
        }
    }
    commands
}

/// Runs a command in `folder`, as far as a test can: without building, and not for long.
fn run(command: &str, folder: &Path) -> Option<(String, i32)> {
    let command = command.replace("cargo run --release -- ", "highwater ");
    let arguments = command.strip_prefix("highwater ")?;
    // Fuzz targets take minutes to build; `tests/nightly.rs` and `.ci/run` have them.
    let arguments = arguments.replace("--for 10m", "--for 1s");
    let arguments = arguments.replace("nightly", "nightly --corpus corpus/");
    let arguments = arguments.replace("--for 40m", "--for 1s --no-fuzz");
    let mut highwater = Command::cargo_bin("highwater").unwrap();
    highwater.current_dir(folder);
    for argument in arguments.split_whitespace() {
        if let Some(place) = argument.strip_suffix("/*.json") {
            let root =
                if place == "findings" { folder } else { env!("CARGO_MANIFEST_DIR").as_ref() };
            let files = std::fs::read_dir(root.join(place)).expect("a search came first");
            let files = files.map(|file| file.unwrap().path());
            let is_json = |file: &PathBuf| file.extension().is_some_and(|it| it == "json");
            let mut files: Vec<_> = files.filter(is_json).collect();
            files.sort();
            highwater.args(files);
        } else if argument == "fuzz/artifacts/isr_ops/crash-*" {
            highwater.arg(folder.join("crash-1"));
        } else if argument.starts_with("corpus/") {
            highwater.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/").to_owned() + argument);
        } else {
            highwater.arg(argument);
        }
    }
    let output = highwater.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.stderr.is_empty(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    Some((text, output.status.code().unwrap()))
}

/// Lines that can be compared: without what depends on the machine's speed.
fn comparable(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| match line.split_once(" operations in ") {
        Some((before, _)) => before.to_owned(),
        None => line.trim_end().to_owned(),
    });
    lines.filter(|line| !line.is_empty()).collect()
}

#[test]
fn every_command_runs_and_prints_what_the_page_says() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("long.json"), long_scenario()).unwrap();
    std::fs::write(folder.path().join("crash-1"), crash()).unwrap();
    let mut compared = 0;
    let (mut page, mut differing) = (README.to_owned(), Vec::new());
    let mut ran = 0;
    for (command, shown) in commands() {
        let Some((text, code)) = run(&command, folder.path()) else {
            // These are what `.ci/run` runs.
            let is_known =
                command == "cargo test --release" || command.contains("cargo +nightly fuzz run");
            assert!(is_known, "the page has a command that no test runs: {command}");
            continue;
        };
        ran += 1;
        assert!(code < 2, "{command} exits with {code}");
        if !shown.is_empty() {
            page = page.replace(&shown.join("\n"), text.trim_matches('\n'));
            differing
                .extend((comparable(&text) != comparable(&shown.join("\n"))).then_some(command));
            compared += 1;
        }
    }
    if std::env::var_os("HIGHWATER_UPDATE").is_some() {
        let trimmed: Vec<_> = page.lines().map(str::trim_end).collect();
        std::fs::write(
            concat!(env!("CARGO_MANIFEST_DIR"), "/README.md"),
            trimmed.join("\n") + "\n",
        )
        .unwrap();
    }
    assert!(
        differing.is_empty(),
        "these print something else now (HIGHWATER_UPDATE=1 takes it over): {differing:?}"
    );
    assert!(ran >= 7 && compared >= 3, "{ran} commands ran, {compared} were compared");
}

/// Stands for what a fuzzer found.
fn crash() -> Vec<u8> {
    let file = "corpus/regressions/published-hw-within-isr-isr-member-behind-hw.json";
    let Scenario { settings, operations, .. } =
        Scenario::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    FuzzInput { settings, operations }.encode().unwrap()
}

/// Stands for the failing scenario of the reader's own.
fn long_scenario() -> String {
    let block = README.split("```json\n").nth(1).expect("the page shows a scenario");
    let scenario = block.split("```").next().expect("the block ends");
    scenario
        .replace("\"ops\": [", "\"ops\": [\n    {\"op\": \"tick\"},")
        .replace("\"operation\": 3", "\"operation\": 4")
}

#[test]
fn the_scenario_that_the_page_shows_is_one_and_does_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shown.json");
    let block = README.split("```json\n").nth(1).unwrap();
    std::fs::write(&file, block.split("```").next().unwrap()).unwrap();
    let mut highwater = Command::cargo_bin("highwater").unwrap();
    highwater.arg("replay").arg(&file).assert().code(0);
}
