//! Lists, sets and maps.

use super::{Arbitrary, Indexable};
use crate::case::Case;
use crate::space::{Grammar, Space};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::hash::{BuildHasher, Hash};

impl<T: Arbitrary> Arbitrary for Vec<T> {
    #[inline]
    fn arbitrary(case: &mut Case) -> Self {
        case.list(0..=usize::MAX)
    }

    const REFILLS: bool = !std::mem::needs_drop::<T>() || T::REFILLS;

    #[inline]
    fn refill(&mut self, case: &mut Case) {
        case.refill_list(self, 0..=usize::MAX);
    }

    fn space(grammar: &mut Grammar) -> Space {
        let item = grammar.of::<T>();
        grammar.list(0, usize::MAX, item)
    }
}

impl<T: Indexable> Indexable for Vec<T> {}

macro_rules! lists {
    ($($list:ident$(: $bound:ident)?),*) => {$(
        impl<T: Arbitrary $(+ $bound)?> Arbitrary for $list<T> {
            fn arbitrary(case: &mut Case) -> Self {
                case.any::<Vec<T>>().into_iter().collect()
            }

            fn space(grammar: &mut Grammar) -> Space {
                Vec::<T>::space(grammar)
            }
        }

        impl<T: Indexable $(+ $bound)?> Indexable for $list<T> {}
    )*};
}

lists!(VecDeque, LinkedList);

/// Equal heaps come from different lists, so heaps are not indexed.
impl<T: Arbitrary + Ord> Arbitrary for BinaryHeap<T> {
    fn arbitrary(case: &mut Case) -> Self {
        // Each heap comes from one list in an enumeration: the one in order.
        let mut heap = BinaryHeap::new();
        case.keyed(0..=usize::MAX, true, Case::any::<T>, |item, _| {
            heap.push(item);
            true
        });
        heap
    }
}

impl<K: Arbitrary + Ord> Arbitrary for BTreeSet<K> {
    fn arbitrary(case: &mut Case) -> Self {
        let mut set = BTreeSet::new();
        case.distinct(0..=usize::MAX, Case::any::<K>, |key, _| set.insert(key));
        set
    }
}

impl<K: Arbitrary + Eq + Hash, S: BuildHasher + Default + 'static> Arbitrary for HashSet<K, S> {
    fn arbitrary(case: &mut Case) -> Self {
        let mut set = HashSet::default();
        case.distinct(0..=usize::MAX, Case::any::<K>, |key, _| set.insert(key));
        set
    }
}

impl<K: Arbitrary + Ord, V: Arbitrary> Arbitrary for BTreeMap<K, V> {
    fn arbitrary(case: &mut Case) -> Self {
        let mut map = BTreeMap::new();
        case.distinct(0..=usize::MAX, Case::any::<K>, |key, case| {
            !map.contains_key(&key) && map.insert(key, case.any::<V>()).is_none()
        });
        map
    }
}

impl<K: Arbitrary + Eq + Hash, V: Arbitrary, S: BuildHasher + Default + 'static> Arbitrary
    for HashMap<K, V, S>
{
    fn arbitrary(case: &mut Case) -> Self {
        let mut map = HashMap::default();
        case.distinct(0..=usize::MAX, Case::any::<K>, |key, case| {
            !map.contains_key(&key) && map.insert(key, case.any::<V>()).is_none()
        });
        map
    }
}
