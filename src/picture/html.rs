//! Pages: one file each, without network, framework or build step.

use crate::picture::Picture;
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;

const STYLE: &str = include_str!("page/page.css");
const REPLAY: &str = include_str!("page/replay.html");
const INDEX: &str = include_str!("page/index.html");

/// The scripts of a page of one run, each of which uses those before it.
const REPLAY_SCRIPTS: [&str; 10] = [
    include_str!("page/dom.js"),
    include_str!("page/model.js"),
    include_str!("page/spans.js"),
    include_str!("page/rows.js"),
    include_str!("page/marks.js"),
    include_str!("page/diagram.js"),
    include_str!("page/legends.js"),
    include_str!("page/logs.js"),
    include_str!("page/head.js"),
    include_str!("page/replay.js"),
];

/// The scripts of an index.
const INDEX_SCRIPTS: [&str; 2] = [include_str!("page/dom.js"), include_str!("page/index.js")];

/// Many scenarios, to be told apart and opened.
#[derive(Clone, Debug, Serialize)]
pub struct Index {
    format: &'static str,
    title: String,
    scenarios: Vec<IndexEntry>,
}

/// One scenario of an [`Index`].
#[derive(Clone, Debug, Serialize)]
pub struct IndexEntry {
    name: String,
    file: String,
    page: Option<String>,
    model: String,
    rules: String,
    nodes: usize,
    operations: usize,
    verdict: String,
    expectation_met: Option<bool>,
    invariant: Option<String>,
    statement: Option<String>,
    kind: Option<String>,
    evidence: Option<String>,
    words: Vec<String>,
}

impl Picture {
    /// The page that shows the run step by step.
    pub fn html(&self) -> String {
        let title = match self.violations.first() {
            Some(violation) => format!("{} · {} · Highwater", violation.invariant, self.title()),
            None => format!("{} · {} · Highwater", self.verdict, self.title()),
        };
        page(REPLAY, &title, &serde_json::to_value(self).unwrap_or_default(), &REPLAY_SCRIPTS)
    }

    /// What to call it.
    fn title(&self) -> &str {
        [&self.name, &self.file, &self.rules]
            .into_iter()
            .find(|it| !it.is_empty())
            .map_or("", |it| it)
    }
}

impl Index {
    /// An index of these runs, each with the place of its page.
    pub fn of<'p>(
        title: &str,
        pictures: impl IntoIterator<Item = (&'p Picture, Option<String>)>,
    ) -> Self {
        let scenarios = pictures.into_iter().map(|(picture, page)| IndexEntry::of(picture, page));
        Self {
            format: "highwater-index/1",
            title: title.to_owned(),
            scenarios: scenarios.collect(),
        }
    }

    /// The page.
    pub fn html(&self) -> String {
        let data = serde_json::to_value(self).unwrap_or_default();
        page(INDEX, &format!("{} · Highwater", self.title), &data, &INDEX_SCRIPTS)
    }
}

impl IndexEntry {
    fn of(picture: &Picture, page: Option<String>) -> Self {
        let violation = picture.violations.first();
        let of_operations =
            picture.steps.iter().filter(|step| step.number.is_some_and(|it| it > 0));
        Self {
            name: picture.name.clone(),
            file: picture.file.clone(),
            page,
            model: picture.model.clone(),
            rules: picture.rules.clone(),
            nodes: picture.nodes.len(),
            operations: of_operations.clone().count(),
            verdict: picture.verdict.clone(),
            expectation_met: picture.expectation_met,
            invariant: violation.map(|it| it.invariant.clone()),
            statement: violation.map(|it| it.statement.clone()),
            kind: violation.map(|it| it.kind.clone()),
            evidence: violation.map(|it| it.evidence.clone()),
            words: of_operations.map(|step| step.words.clone()).collect(),
        }
    }
}

/// A template with everything in its place. What is put in is not looked at again.
fn page(template: &str, title: &str, data: &Value, scripts: &[&str]) -> String {
    // Nothing in the data can end the element that it is in.
    let data = data.to_string().replace('<', "\\u003c");
    let script = scripts.join("\n");
    let mut page = String::with_capacity(template.len() + STYLE.len() + data.len() + script.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        page.push_str(before);
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        page.push_str(&match name {
            "title" => Cow::Owned(escaped(title)),
            "style" => Cow::Borrowed(STYLE),
            "data" => Cow::Borrowed(data.as_str()),
            "script" => Cow::Borrowed(script.as_str()),
            other => unreachable!("the template has no place for {other}"),
        });
        rest = after;
    }
    page.push_str(rest);
    page
}

/// Text as HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
