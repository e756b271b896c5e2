//! Plans: in which order the variants of a type are drawn, and which of them end a recursion.

use crate::arbitrary::Arbitrary;
use crate::source::random::FEW;
use crate::space::{Depth, Grammar};
use std::any::TypeId;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The variants of a type in the order of their numbers: the one with the simplest value, which terminates, comes first.
#[derive(Debug)]
pub struct Plan {
    /// Of which type.
    pub(crate) of: TypeId,
    pub(crate) variants: Vec<Variant>,
    /// The smallest nesting any variant gets by with.
    pub(crate) depth: u32,
    /// Tells types apart in swarm selection.
    pub(crate) salt: u64,
    /// The variants that end a recursion, as bits, if there are few and all have the same weight.
    pub(crate) ends: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct Variant {
    /// Its place in the declaration.
    pub(crate) declared: usize,
    pub(crate) depth: u32,
    /// The choices of its simplest value.
    length: u32,
    pub(crate) weight: u32,
}

impl Plan {
    /// The plan of `T`, made once a thread. `weights` has a number for each variant as declared.
    pub(crate) fn of<T: Arbitrary>(weights: &[u32]) -> &'static Plan {
        thread_local! {
            static PLANS: RefCell<HashMap<TypeId, &'static Plan, BuildHasherDefault<Identity>>> = RefCell::default();
        }
        let known = PLANS.with_borrow(|plans| plans.get(&TypeId::of::<T>()).copied());
        known.unwrap_or_else(|| {
            // A plan lives as long as its type, and there are few: leaking it saves a count in the hot loop.
            let plan: &'static Plan = Box::leak(Box::new(Plan::new::<T>(weights)));
            PLANS.with_borrow_mut(|plans| plans.insert(TypeId::of::<T>(), plan));
            plan
        })
    }

    fn new<T: Arbitrary>(weights: &[u32]) -> Plan {
        let name = std::any::type_name::<T>();
        let mut grammar = Grammar::default();
        let root = grammar.of::<T>();
        let depths = grammar.depths_of_variants(root);
        assert_eq!(depths.len(), weights.len(), "the variants of `{name}` and its space disagree");
        let mut variants: Vec<Variant> = depths
            .iter()
            .zip(weights)
            .enumerate()
            .filter_map(|(declared, (&depth, &weight))| match depth {
                Depth::Finite(depth, length) => Some(Variant { declared, depth, length, weight }),
                Depth::Infinite => None,
            })
            .collect();
        let depth = variants.iter().map(|v| v.depth).min().unwrap_or_else(|| {
            panic!(
                "`{name}` has no finite value: each of its variants contains another `{name}`; \
                 give it a variant without one, or put the recursion into an `Option` or a `Vec`"
            )
        });
        // The simplest first; the others keep the order in which they were written.
        let first = (0..variants.len()).min_by_key(|&i| (variants[i].depth, variants[i].length)).unwrap_or(0);
        let simplest = variants.remove(first);
        variants.insert(0, simplest);
        let salt = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let is_plain = variants.len() <= FEW && variants.iter().all(|variant| variant.weight == 1);
        let ends = variants.iter().enumerate().filter(|(_, variant)| variant.depth == depth);
        let ends = is_plain.then(|| ends.fold(0, |bits, (place, _)| bits | 1 << place));
        Plan { of: TypeId::of::<T>(), variants, depth, salt, ends }
    }
}

/// `TypeId`s are hashes already.
#[derive(Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 ^= u64::from_le_bytes(word);
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 ^= word;
    }
}
