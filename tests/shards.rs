//! The parts of a search, merged, are the search; and it is the same on any number of threads.

use assert_cmd::Command;
use predicates::str::contains;
use std::path::Path;

fn highwater() -> Command {
    Command::cargo_bin("highwater").unwrap()
}

/// A search that goes on to the end, as JSON without its timing.
fn keep_going(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let output = highwater()
        .current_dir(folder)
        .args(["search", "--keep-going", "--sequences", "20000", "--json"])
        .args(arguments)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn without_timing(mut json: serde_json::Value) -> String {
    json.as_object_mut().unwrap().remove("timing").unwrap();
    json.to_string()
}

#[test]
fn a_search_that_keeps_going_gives_identical_json_on_1_and_2_threads_and_as_shards_merged() {
    let folder = tempfile::tempdir().unwrap();
    let whole = without_timing(keep_going(folder.path(), &["--threads", "1"]));
    assert_eq!(whole, without_timing(keep_going(folder.path(), &["--threads", "2"])));

    let files = ["1/3", "2/3", "3/3"].map(|shard| {
        let file = folder.path().join(shard.replace('/', "-") + ".json");
        std::fs::write(&file, keep_going(folder.path(), &["--shard", shard]).to_string()).unwrap();
        file
    });
    let mut merge = highwater();
    merge.args(["report", "merge", "--json"]).args(files.iter().rev());
    let output = merge.assert().code(1).get_output().stdout.clone();
    let merged: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(whole, without_timing(merged));

    let twice = highwater().args(["report", "merge"]).args([&files[0], &files[0]]).assert().code(2);
    twice.stderr(contains("are in two shards"));
    let other = folder.path().join("other.json");
    std::fs::write(&other, keep_going(folder.path(), &["--seed", "9"]).to_string()).unwrap();
    let mixed = highwater().args(["report", "merge"]).args([&files[0], &other]).assert().code(2);
    mixed.stderr(contains("not shards of one search: seed is 0 and 9"));
}

#[test]
fn shards_of_a_search_that_stops_at_the_first_violation_stop_where_the_whole_would() {
    let folder = tempfile::tempdir().unwrap();
    let search = |arguments: &[&str]| {
        let fixed =
            ["search", "--invariant", "client-linearizability", "--sequences", "30000", "--json"];
        let output = highwater().current_dir(&folder).args(fixed).args(arguments).output().unwrap();
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let whole = search(&[]);
    assert_eq!(whole["stopped"], true);
    let files = ["1/4", "2/4", "3/4", "4/4"].map(|shard| {
        let file = folder.path().join(shard.replace('/', "-") + ".json");
        std::fs::write(&file, search(&["--shard", shard]).to_string()).unwrap();
        file
    });
    let mut merge = highwater();
    merge.args(["report", "merge", "--json"]).args(&files);
    let output = merge.assert().code(1).get_output().stdout.clone();
    let merged = serde_json::from_slice::<serde_json::Value>(&output).unwrap();
    assert_eq!(without_timing(whole), without_timing(merged));
}

#[test]
fn parts_that_leave_a_gap_or_are_damaged_are_not_merged() {
    let folder = tempfile::tempdir().unwrap();
    let shard = |number: u32| {
        let file = folder.path().join(format!("{number}.json"));
        let json = keep_going(folder.path(), &["--shard", &format!("{number}/3")]);
        std::fs::write(&file, json.to_string()).unwrap();
        file
    };
    let (one, three) = (shard(1), shard(3));
    let gap = highwater().args(["report", "merge"]).args([&one, &three]).assert().code(2);
    gap.stderr(contains("in no shard"));
    highwater().args(["report", "merge"]).arg(&one).assert().code(1).stderr(contains("incomplete"));
    let damaged = std::fs::read_to_string(&one).unwrap();
    let damaged = damaged.replace("\"sequences\":6666,", "\"sequences\":18446744073709551615,");
    std::fs::write(&one, damaged).unwrap();
    highwater().args(["report", "merge"]).arg(&one).assert().code(2).stderr(contains("damaged"));
}
