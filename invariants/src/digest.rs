//! Tells whether something changed, without keeping a copy of it.

use crate::canonical::Sink;

/// A digest of words. No part of any file or verdict beyond being equal or not; two different
/// sequences of words get the same one about once in 2^64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Digest(u64);

impl Digest {
    /// The digest of no words.
    pub(crate) const EMPTY: Self = Self(0x2545_f491_4f6c_dd1d);
}

impl Sink for Digest {
    #[inline]
    fn word(&mut self, word: u64) {
        // Fibonacci hashing: an odd multiplier, so no word is lost, and a rotation to mix.
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
