//! The bytes source: a fuzzer's input decides.

use super::{Hint, Source};
use crate::choice::{Choice, Kind, Shape};

/// Reads choices from bytes, so that a fuzzer can drive the same generators.
///
/// Small ranges take one byte, larger ones two, four or eight, little endian; a list goes on while its byte is odd. When the
/// bytes are used up everything is simplest, so that every input is a case.
#[derive(Debug, Clone)]
pub(crate) struct Bytes {
    bytes: Vec<u8>,
    at: usize,
}

impl Bytes {
    pub(crate) fn new(bytes: &[u8]) -> Bytes {
        Bytes { bytes: bytes.to_vec(), at: 0 }
    }
}

impl Source for Bytes {
    fn choose(&mut self, shape: &Shape, _hint: Hint<'_>, _so_far: &[Choice]) -> Option<u64> {
        let width = match shape.max {
            0 => 0,
            1..=0xff => 1,
            0x100..=0xffff => 2,
            0x1_0000..=0xffff_ffff => 4,
            _ => 8,
        };
        let mut word = [0; 8];
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = rest.len().min(width);
        word[..taken].copy_from_slice(&rest[..taken]);
        self.at += taken;
        let number = u64::from_le_bytes(word);
        // Integers in place of numbers: the fuzzer's own dictionary of magic values stays meaningful.
        let number = match shape.kind {
            Kind::Float if width == 8 => crate::choice::floats::F64.encode(number),
            Kind::Float => crate::choice::floats::F32.encode(number),
            Kind::Char => char::from_u32(number as u32).map_or(number, crate::choice::chars::encode),
            _ => number,
        };
        Some(match shape.max.checked_add(1) {
            Some(bound) => number % bound,
            None => number,
        })
    }
}
