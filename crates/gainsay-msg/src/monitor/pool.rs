//! Messages that are kept until they are answered, or their time is over, and found by the values that they are joined by.

use super::link::{Key, Link};
use crate::hpl::PatternKind;
use crate::rule::Rule;
use crate::term::{Messages, Slot};
use crate::trace::Message;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::Arc;

/// Kept messages, oldest first.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    /// The number of the oldest.
    base: u64,
    /// Those that are gone leave a gap, until all before them are gone.
    kept: VecDeque<Option<Kept>>,
    count: usize,
    /// For each link, numbers by key; none for a link without keys.
    indices: Vec<Option<FxHashMap<Key, SmallVec<[u64; 2]>>>>,
    /// Of those that cannot be told apart by who comes later, only the latest is kept.
    only_latest: bool,
    /// In `requires`, each message is kept for one link.
    is_by_link: bool,
}

#[derive(Debug, Clone)]
struct Kept {
    message: Arc<Message>,
    /// The link it is kept for, where that is one.
    link: usize,
    /// By link; those without keys have none.
    keys: SmallVec<[Option<Key>; 1]>,
}

impl Pool {
    pub(super) fn new(rule: &Rule, links: &[Link]) -> Pool {
        Pool {
            base: 0,
            kept: VecDeque::new(),
            count: 0,
            indices: links.iter().map(|link| link.has_keys().then(FxHashMap::default)).collect(),
            only_latest: matches!(rule.kind, PatternKind::Forbids | PatternKind::Requires),
            is_by_link: rule.kind == PatternKind::Requires,
        }
    }

    pub(super) fn clear(&mut self) {
        self.base += self.kept.len() as u64;
        self.kept.clear();
        self.count = 0;
        self.indices.iter_mut().flatten().for_each(FxHashMap::clear);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many are kept.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Whether any message is kept for a link.
    pub(super) fn has_any(&self, link: usize) -> bool {
        self.kept.iter().flatten().any(|kept| !self.is_by_link || kept.link == link)
    }

    /// All of them, oldest first.
    pub(crate) fn messages(&self) -> impl DoubleEndedIterator<Item = &Arc<Message>> {
        self.kept.iter().flatten().map(|kept| &kept.message)
    }

    /// Those kept for a link, oldest first.
    pub(crate) fn messages_of(&self, link: usize) -> impl Iterator<Item = &Arc<Message>> {
        let kept = self.kept.iter().flatten();
        kept.filter(move |kept| !self.is_by_link || kept.link == link).map(|kept| &kept.message)
    }

    /// Keeps a message, for all links.
    #[inline]
    pub(super) fn add<'a>(&mut self, links: &[Link], message: &'a Arc<Message>, mut messages: Messages<'a>) {
        messages[Slot::First as usize] = Some(&message.value);
        let key = |link: &Link| if link.has_keys() { link.key_of_kept(&messages) } else { None };
        let keys: SmallVec<[Option<Key>; 1]> = match links {
            [link] => SmallVec::from_buf([key(link)]),
            links => links.iter().map(key).collect(),
        };
        if self.only_latest {
            match links {
                links if links.iter().all(|link| !link.is_linked) => self.clear(),
                [link] if link.is_keyed_only && link.has_keys() => match keys[0] {
                    Some(key) => self.remove_equal(link, 0, key, messages),
                    // It can never be found.
                    None => return,
                },
                _ => {}
            }
        }
        self.push(Kept { message: Arc::clone(message), link: 0, keys });
    }

    /// Keeps a message for one link, if it may be what is needed.
    pub(super) fn offer<'a>(
        &mut self,
        links: &[Link],
        place: usize,
        message: &'a Arc<Message>,
        messages: Messages<'a>,
    ) {
        let link = &links[place];
        if !link.may_be_met(&messages) {
            return;
        }
        let mut keys: SmallVec<[Option<Key>; 1]> = links.iter().map(|_| None).collect();
        if link.has_keys() {
            keys[place] = link.key_of_kept(&messages);
            let Some(key) = keys[place] else { return };
            if link.is_keyed_only {
                self.remove_equal(link, place, key, messages);
            }
        } else if !link.is_linked {
            self.remove_of_link(place);
        }
        self.push(Kept { message: Arc::clone(message), link: place, keys });
    }

    #[inline]
    fn push(&mut self, kept: Kept) {
        let number = self.base + self.kept.len() as u64;
        for (index, key) in self.indices.iter_mut().zip(&kept.keys) {
            if let (Some(index), Some(key)) = (index, key) {
                index.entry(*key).or_default().push(number);
            }
        }
        self.kept.push_back(Some(kept));
        self.count += 1;
        if self.kept.len() > 64 && self.count < self.kept.len() / 4 {
            self.compact();
        }
    }

    /// Closes the gaps.
    #[cold]
    fn compact(&mut self) {
        let kept = std::mem::take(&mut self.kept);
        let end = self.base + kept.len() as u64;
        self.indices.iter_mut().flatten().for_each(FxHashMap::clear);
        self.count = 0;
        // (Numbers are never used again.)
        self.base = end;
        for kept in kept.into_iter().flatten() {
            self.push(kept);
        }
    }

    /// Removes a message by its number.
    #[inline]
    fn remove(&mut self, number: u64) -> Option<Kept> {
        let place = usize::try_from(number.checked_sub(self.base)?).ok()?;
        let kept = self.kept.get_mut(place)?.take()?;
        for (index, key) in self.indices.iter_mut().zip(&kept.keys) {
            let (Some(index), Some(key)) = (index, key) else { continue };
            if let Some(group) = index.get_mut(key) {
                if let [only] = group.as_slice()
                    && *only == number
                {
                    index.remove(key);
                } else if let Ok(at) = group.binary_search(&number) {
                    group.remove(at);
                }
            }
        }
        self.count -= 1;
        self.forget_gaps();
        Some(kept)
    }

    /// Removes those that say the same as a message that is kept instead.
    fn remove_equal(&mut self, link: &Link, place: usize, key: Key, messages: Messages<'_>) {
        let Some(Some(index)) = self.indices.get(place) else { return };
        let Some(group) = index.get(&key) else { return };
        for number in group.clone() {
            let is_same = self.get(number).is_some_and(|kept| {
                let mut other = messages;
                other[link.kept as usize] = Some(&kept.message.value);
                link.say_the_same(&messages, &other)
            });
            if is_same {
                self.remove(number);
            }
        }
    }

    fn remove_of_link(&mut self, place: usize) {
        let kept = self.kept.iter().enumerate();
        let numbers: SmallVec<[u64; 4]> = kept
            .filter(|(_, kept)| kept.as_ref().is_some_and(|kept| kept.link == place))
            .map(|(at, _)| self.base + at as u64)
            .collect();
        for number in numbers {
            self.remove(number);
        }
    }

    fn get(&self, number: u64) -> Option<&Kept> {
        self.kept.get(usize::try_from(number.checked_sub(self.base)?).ok()?)?.as_ref()
    }

    /// Removes all that a message answers.
    #[inline]
    pub(super) fn answer(&mut self, link: &Link, place: usize, messages: Messages<'_>) {
        if self.count == 0 {
            return;
        }
        if !link.is_linked {
            if link.is_met(&messages) {
                self.clear();
            }
            return;
        }
        let mut key = None;
        if link.has_keys() {
            key = link.key_of_later(&messages);
            match key {
                None => return,
                Some(key) if self.indices.len() == 1 && link.is_enough(key) => return self.remove_group(key),
                Some(_) => {}
            }
        }
        for number in self.answered(link, place, key, messages) {
            self.remove(number);
        }
    }

    /// Takes out all that a message answers.
    pub(super) fn take_answered(
        &mut self,
        link: &Link,
        place: usize,
        messages: Messages<'_>,
    ) -> Vec<Arc<Message>> {
        let key = if link.has_keys() { link.key_of_later(&messages) } else { None };
        // (What is not linked answers all or none.)
        if link.has_keys() && key.is_none() || !link.is_linked && !link.is_met(&messages) {
            return Vec::new();
        }
        let answered = self.answered(link, place, key, messages);
        answered.into_iter().filter_map(|number| self.remove(number)).map(|kept| kept.message).collect()
    }

    /// The numbers of those that a message answers: by its key, or all are looked at.
    fn answered(
        &self,
        link: &Link,
        place: usize,
        key: Option<Key>,
        messages: Messages<'_>,
    ) -> SmallVec<[u64; 8]> {
        if let (Some(key), Some(Some(index))) = (key, self.indices.get(place)) {
            let is_met = |kept: &Kept| {
                let mut both = messages;
                both[Slot::First as usize] = Some(&kept.message.value);
                link.is_met_besides(key, &both)
            };
            let group = index.get(&key).into_iter().flatten().copied();
            return group.filter(|number| self.get(*number).is_some_and(is_met)).collect();
        }
        let is_met = |kept: &Kept| {
            let mut both = messages;
            both[Slot::First as usize] = Some(&kept.message.value);
            link.is_met(&both)
        };
        let kept = self.kept.iter().enumerate().filter(|(_, kept)| kept.as_ref().is_some_and(is_met));
        kept.map(|(at, _)| self.base + at as u64).collect()
    }

    /// Removes all that are found by a key of the only link.
    #[inline]
    fn remove_group(&mut self, key: Key) {
        let Some(Some(index)) = self.indices.first_mut() else { return };
        let Some(group) = index.remove(&key) else { return };
        for number in group {
            let place = (number - self.base) as usize;
            self.kept[place] = None;
            self.count -= 1;
        }
        self.forget_gaps();
    }

    #[inline]
    fn forget_gaps(&mut self) {
        while let Some(None) = self.kept.front() {
            self.kept.pop_front();
            self.base += 1;
        }
    }

    /// The latest message that is joined to one that comes now, with its number.
    pub(super) fn latest<'a>(
        &'a self,
        link: &Link,
        place: usize,
        messages: Messages<'a>,
    ) -> Option<(u64, &'a Arc<Message>)> {
        let is_met = |kept: &Kept| {
            let mut both: Messages<'_> = messages;
            both[link.kept as usize] = Some(&kept.message.value);
            (!self.is_by_link || kept.link == place) && link.is_met(&both)
        };
        if self.count == 0 {
            return None;
        }
        if let Some(Some(index)) = self.indices.get(place) {
            let group = index.get(&link.key_of_later(&messages)?)?;
            let found = group.iter().rev().find_map(|number| {
                let kept = self.get(*number)?;
                is_met(kept).then_some((*number, &kept.message))
            });
            return found;
        }
        let kept = self.kept.iter().enumerate().rev();
        kept.filter_map(|(at, kept)| Some((self.base + at as u64, kept.as_ref()?)))
            .find(|(_, kept)| is_met(kept))
            .map(|(number, kept)| (number, &kept.message))
    }

    /// Takes out the oldest, if its time is over.
    #[inline]
    pub(super) fn take_expired(&mut self, now: u64, bound: u64) -> Option<Arc<Message>> {
        let oldest = self.kept.front()?.as_ref()?;
        if now - oldest.message.at < bound {
            return None;
        }
        self.take_oldest()
    }

    /// Takes out the oldest.
    #[inline]
    pub(super) fn take_oldest(&mut self) -> Option<Arc<Message>> {
        self.remove(self.base).map(|kept| kept.message)
    }
}
