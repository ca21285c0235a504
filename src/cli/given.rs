//! Which options the user has typed, so that one that means nothing here is not passed over.

use clap::ArgMatches;
use clap::parser::ValueSource;
use std::sync::OnceLock;

static GIVEN: OnceLock<Vec<String>> = OnceLock::new();

/// Remembers what was typed.
pub(super) fn remember(matches: &ArgMatches) {
    let mut given = Vec::new();
    let mut matches = Some(matches);
    while let Some(level) = matches {
        let ids = level.ids().map(clap::Id::as_str);
        let typed = ids.filter(|id| {
            level.try_contains_id(id).unwrap_or(false)
                && level.value_source(id) == Some(ValueSource::CommandLine)
        });
        given.extend(typed.map(|id| format!("--{}", id.replace('_', "-"))));
        matches = level.subcommand().map(|(_, matches)| matches);
    }
    // There is one command line.
    let _ = GIVEN.set(given);
}

/// The first of `options` that was typed.
pub(super) fn first_of(options: &[&'static str]) -> Option<&'static str> {
    let given = GIVEN.get().map_or(&[][..], Vec::as_slice);
    options.iter().copied().find(|option| given.iter().any(|typed| typed == option))
}
