//! All randomness: xoshiro256++ from one printed seed, split per sequence.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::ops::RangeInclusive;

/// A stream of random decisions. Sequence *i* of seed *s* gets the same stream on any machine and
/// on any number of threads.
#[derive(Clone, Debug)]
pub struct Dice(Xoshiro256PlusPlus);

impl Dice {
    /// The stream of sequence `index` of `seed`.
    pub fn new(seed: u64, index: u64) -> Self {
        // Four words of state from two of input by SplitMix64, as the generator's authors advise.
        let mut word = seed ^ split_mix(index);
        let mut state = [0; 32];
        for chunk in state.chunks_mut(8) {
            word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
            chunk.copy_from_slice(&split_mix(word).to_le_bytes());
        }
        Self(Xoshiro256PlusPlus::from_seed(state))
    }

    /// A number below `end`; 0 if `end` is 0.
    #[inline]
    pub fn below(&mut self, end: u32) -> u32 {
        (((self.0.next_u64() >> 32) * u64::from(end)) >> 32) as u32
    }

    /// A number of `range`.
    #[inline]
    pub fn within(&mut self, range: &RangeInclusive<u32>) -> u32 {
        range.start() + self.below(range.end().saturating_sub(*range.start()).saturating_add(1))
    }

    /// True `numerator` times in `denominator`.
    #[inline]
    pub fn chance(&mut self, numerator: u32, denominator: u32) -> bool {
        self.below(denominator) < numerator
    }

    /// One of `choices`, which must not be empty.
    #[inline]
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }
}

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014): the
/// output function.
const fn split_mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_depends_on_its_seed_and_its_index_alone() {
        let draw = |seed, index| {
            let mut dice = Dice::new(seed, index);
            (0..8).map(|_| dice.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1, 2), draw(1, 2));
        for other in [draw(2, 1), draw(1, 3), draw(0, 2)] {
            assert_ne!(draw(1, 2), other);
        }
    }

    #[test]
    fn every_number_of_a_range_comes_up_and_no_other() {
        let mut dice = Dice::new(7, 7);
        let mut seen = [0; 12];
        for _ in 0..1000 {
            seen[dice.within(&(3..=9)) as usize] += 1;
        }
        assert_eq!(
            seen.map(|count| count > 0),
            [3, 4, 5, 6, 7, 8, 9].iter().fold([false; 12], |mut all, &n| {
                all[n] = true;
                all
            })
        );
        assert_eq!(dice.below(0), 0);
    }
}
