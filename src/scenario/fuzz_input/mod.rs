//! Scenarios as the bytes that a fuzzer mutates.
//!
//! | bytes | meaning |
//! |---|---|
//! | 1 | [`FUZZ_INPUT_VERSION`]; an input of another version is refused |
//! | 4 | the rules: the variant, then a bit mask of the guards that are off, lowest byte first |
//! | 8 | the configuration: nodes, leader, min.insync.replicas, lag timeout, retention, delay, ack timeout, lease |
//! | 4 each | the operations: kind, then up to three arguments |
//!
//! Every field is a decision of one byte: small numbers mean themselves, the others are folded onto
//! the smallest, so that any bytes are an input and most of them an interesting one. A write names
//! its value as *a fresh one* (0) or as *the n-th distinct value back*, so that taking operations
//! out leaves the rest meaningful. Keys and values are numbered in the order of their first use.
//!
//! [`FuzzInput::encode`] gives the one canonical spelling of an input: decoding and encoding again
//! changes nothing.

mod decode;
mod encode;
pub mod mutate;

pub use encode::DoesNotFit;

use crate::isr::{Guard, Operation, Settings};
use arbitrary::{Arbitrary, Unstructured};

/// The first byte of every input. To be raised whenever the meaning of any byte changes.
pub const FUZZ_INPUT_VERSION: u8 = 1;

/// The most operations of an input; what follows is not looked at.
pub const OPERATIONS_MAX: usize = 256;

/// Bytes before the first operation.
const HEADER: usize = 13;
/// Bytes of an operation.
const RECORD: usize = 4;

/// The largest lag timeout, ack timeout, retention, lease, and delay of one message.
const NUMBER_MAX: u8 = 64;
/// The largest delay of all messages.
const DELAY_MAX: u8 = 16;
/// Keys are numbered below this.
const KEYS: u8 = 16;
/// A lease duration of -1: no lease is ever valid.
const NO_LEASE: u8 = 255;

// The bit mask of guards has three bytes; with more guards the shape must change.
const _: () = assert!(Guard::ALL.len() <= 24);

/// A configuration and operations for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FuzzInput {
    /// The configuration, and the rules that the partition follows.
    pub settings: Settings,
    /// What is done, in order.
    pub operations: Vec<Operation>,
}

/// Why bytes are no input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotAnInput {
    /// The first byte is not the version of this build.
    #[error("its version is {0}, and this version of highwater reads {FUZZ_INPUT_VERSION}")]
    Version(u8),
    /// Not even a configuration.
    #[error("{0} bytes are too few: a configuration alone takes {HEADER}")]
    TooShort(usize),
}

impl<'a> Arbitrary<'a> for FuzzInput {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Self::arbitrary_take_rest(Unstructured::new(bytes.bytes(bytes.len())?))
    }

    fn arbitrary_take_rest(bytes: Unstructured<'a>) -> arbitrary::Result<Self> {
        Self::decode(bytes.take_rest()).map_err(|_| arbitrary::Error::IncorrectFormat)
    }

    fn size_hint(_depth: usize) -> (usize, Option<usize>) {
        (HEADER, Some(HEADER + RECORD * OPERATIONS_MAX))
    }
}
