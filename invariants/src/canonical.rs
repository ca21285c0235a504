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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::entry;

    #[test]
    fn an_encoding_says_itself_where_it_ends() {
        let both = |first: &[Entry], second: &[Entry]| {
            let (mut logs, mut tables) = (Vec::new(), Vec::new());
            first.encode(&mut logs);
            second.encode(&mut logs);
            Table::replay(first).encode(&mut tables);
            Table::replay(second).encode(&mut tables);
            (logs, tables)
        };
        let (a, b) = (entry(1, 0, 0), entry(1, 1, 0));
        let splits: [(&[_], &[_]); 3] = [(&[], &[a, b]), (&[a], &[b]), (&[a, b], &[])];
        for (index, (first, second)) in splits.into_iter().enumerate() {
            for (other, another) in &splits[..index] {
                assert_ne!(both(first, second).0, both(other, another).0);
                assert_ne!(both(first, second).1, both(other, another).1);
            }
        }
    }
}
