//! Canonical encodings: equal things give equal words, on every machine and in every build.

use crate::vocabulary::{Entry, Table};

/// Takes the words of an encoding.
pub trait Sink {
    /// One more word.
    fn word(&mut self, word: u64);
}

impl Sink for Vec<u64> {
    fn word(&mut self, word: u64) {
        self.push(word);
    }
}

/// Has a canonical encoding, which is its identity when states are compared.
pub trait Canonical {
    /// Writes the encoding. Self-delimiting: no encoding is a prefix of another.
    fn encode(&self, sink: &mut impl Sink);
}

impl Canonical for () {
    fn encode(&self, _sink: &mut impl Sink) {}
}

impl Canonical for [Entry] {
    fn encode(&self, sink: &mut impl Sink) {
        sink.word(self.len() as u64);
        for entry in self {
            sink.word(entry.bits());
        }
    }
}

impl Canonical for Table {
    fn encode(&self, sink: &mut impl Sink) {
        for (key, value) in self.iter() {
            sink.word((u64::from(key.0) << 16) | (value.index() as u64 + 1));
        }
        sink.word(0);
    }
}
