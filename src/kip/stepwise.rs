//! What the models of this room have in common besides being models: files, words, pictures.

use crate::kip::step::KipOutcome;
use crate::model::Simplify;
use crate::picture::NodePicture;
use highwater_invariants::Selection;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// A model of atomic steps, without messages and without time.
pub trait Stepwise:
    Simplify<
        Settings: Copy + PartialEq + Send + Sync,
        State: Send + Sync,
        Operation: Serialize + DeserializeOwned + Send + Sync,
        Outcome = KipOutcome,
    > + Copy
    + Debug
    + Default
    + Send
    + Sync
{
    /// Constants, as in files.
    type Configuration: Serialize + DeserializeOwned;

    /// The invariants that speak of such a model.
    const APPLICABLE: Selection;

    /// The model's name, as on the command line and in files.
    fn name_of(settings: &Self::Settings) -> &'static str;

    /// The name, and which rules are off.
    fn rules_of(settings: &Self::Settings) -> String;

    /// Rules that are off.
    fn without(settings: &Self::Settings) -> Vec<&'static str>;

    /// The constants.
    fn configuration(settings: &Self::Settings) -> Self::Configuration;

    /// The constants in words: names and values.
    fn configuration_in_words(settings: &Self::Settings) -> Vec<(&'static str, String)>;

    /// The settings that a file describes.
    ///
    /// # Errors
    /// The field that is wrong, and why.
    fn settings(
        model: &str,
        without: &[String],
        configuration: Self::Configuration,
    ) -> Result<Self::Settings, (String, String)>;

    /// Makes sure that a step names only what there is.
    ///
    /// # Errors
    /// What it names that there is not.
    fn check_step(settings: &Self::Settings, step: Self::Operation) -> Result<(), String>;

    /// A step in words.
    fn in_words(step: Self::Operation) -> String;

    /// Where a step happens: the number of a replica; `None` for the controller.
    fn place(state: &Self::State, step: Self::Operation) -> Option<u8>;

    /// From which replica to which a step moves a record.
    fn transfer(step: Self::Operation) -> Option<(u8, u8)>;

    /// The leader epoch that the controller knows; -1 before the first.
    fn epoch(state: &Self::State) -> i64;

    /// The high watermark, if there is one that is not each replica's own.
    fn high_watermark(state: &Self::State) -> Option<u64>;

    /// The replicas, to be drawn.
    fn replicas(state: &Self::State) -> Vec<NodePicture>;

    /// The same with each rule off that can be switched off alone: its name, what it says, and the
    /// settings without it.
    fn ablations(settings: &Self::Settings) -> Vec<(&'static str, &'static str, Self::Settings)>;
}
