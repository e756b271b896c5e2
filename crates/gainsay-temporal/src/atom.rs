//! What formulas say of single elements, and which elements make that true or false.

use gainsay_core::Case;
use std::any::TypeId;
use std::fmt::{self, Debug};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Something that is true or false of an element: see [`atom`] and [`relation`].
pub struct Atom<E> {
    inside: Arc<Inside<E>>,
}

struct Inside<E> {
    name: String,
    holds: Arc<Holds<E>>,
    /// The same for many elements at once, if it does not look back.
    holds_all: Option<Arc<HoldsAll<E>>>,
    when_true: Option<Values<E>>,
    when_false: Option<Values<E>>,
    draws: Option<Arc<Draws<E>>>,
    looks_back: bool,
    /// The type of the user's function, if it captures nothing: then it means the same wherever it comes from.
    code: Option<TypeId>,
    /// Whether it is the same as all others of its name that say so.
    is_one_by_name: bool,
    /// If it has a state: how it begins.
    tracks: Option<Arc<dyn Tracks<E> + Send + Sync>>,
}

/// Something with a state that is true or false of each element in turn.
pub(crate) trait Tracks<E> {
    fn see(&mut self, element: &E) -> bool;

    /// The same in the same state.
    fn copied(&self) -> Tracked<E>;
}

/// In some state.
pub(crate) type Tracked<E> = Box<dyn Tracks<E> + Send + Sync>;

#[derive(Clone)]
struct Tracking<S, F> {
    state: S,
    next: Arc<F>,
}

impl<E, S, F> Tracks<E> for Tracking<S, F>
where
    S: Clone + Send + Sync + 'static,
    F: Fn(&mut S, &E) -> bool + Send + Sync + 'static,
{
    fn see(&mut self, element: &E) -> bool {
        (self.next)(&mut self.state, element)
    }

    fn copied(&self) -> Tracked<E> {
        Box::new(Tracking { state: self.state.clone(), next: Arc::clone(&self.next) })
    }
}

/// What atoms know of the elements so far.
pub(crate) struct Context<E> {
    before: Option<E>,
    /// By atom, its state, if it has one.
    tracks: Vec<Option<Tracked<E>>>,
}

impl<E: Clone> Context<E> {
    pub(crate) fn new(atoms: &[Atom<E>]) -> Context<E> {
        Context { before: None, tracks: tracks(atoms) }
    }

    /// The atoms that hold of the next element, as bits; from now on it is one of those so far.
    pub(crate) fn see(&mut self, atoms: &[Atom<E>], element: &E) -> u64 {
        let letter = letter_of(atoms, &mut self.tracks, self.before.as_ref(), element);
        self.before = Some(element.clone());
        letter
    }

    /// The atoms that would hold of it.
    pub(crate) fn try_out(&self, atoms: &[Atom<E>], element: &E) -> u64 {
        let copied = |tracks: &Option<Tracked<E>>| tracks.as_ref().map(|tracks| tracks.copied());
        let mut tracks: Vec<_> = self.tracks.iter().map(copied).collect();
        letter_of(atoms, &mut tracks, self.before.as_ref(), element)
    }
}

/// By atom, how its state begins, if it has one.
pub(crate) fn tracks<E>(atoms: &[Atom<E>]) -> Vec<Option<Tracked<E>>> {
    atoms.iter().map(|atom| atom.inside.tracks.as_ref().map(|tracks| tracks.copied())).collect()
}

/// The atoms that hold of an element, as bits, by the one before and by states, which change.
pub(crate) fn letter_of<E>(
    atoms: &[Atom<E>],
    tracks: &mut [Option<Tracked<E>>],
    before: Option<&E>,
    element: &E,
) -> u64 {
    let each = atoms.iter().zip(tracks).enumerate();
    each.fold(0, |letter, (bit, (atom, tracks))| {
        let holds = match tracks {
            Some(tracks) => tracks.see(element),
            None => atom.holds(before, element),
        };
        letter | u64::from(holds) << bit
    })
}

/// Whether it is true of an element, by the one before.
type Holds<E> = dyn Fn(Option<&E>, &E) -> bool + Send + Sync;

/// Whether it is true of each of at most 64 elements, as bits.
type HoldsAll<E> = dyn Fn(&[E]) -> u64 + Send + Sync;

/// Draws an element of which it is true or false, as is wanted, by the one before; nothing if there is none.
type Draws<E> = dyn Fn(Option<&E>, bool, &mut Case) -> Option<E> + Send + Sync;

/// Draws an element.
pub(crate) type Any<E> = dyn Fn(&mut Case) -> E + Send + Sync;

/// Elements of which something is known to be true, or false.
#[derive(Clone)]
pub struct Values<E> {
    kind: Kind<E>,
}

#[derive(Clone)]
enum Kind<E> {
    /// Whole numbers, and what they stand for.
    Ranges(Vec<(i128, i128)>, fn(i128) -> E),
    Listed(Vec<E>),
    Drawn(Arc<Any<E>>),
}

impl<E: Debug> Debug for Values<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Ranges(ranges, _) => write!(f, "{ranges:?}"),
            Kind::Listed(values) => write!(f, "{values:?}"),
            Kind::Drawn(_) => f.write_str("drawn values"),
        }
    }
}

impl<E> Values<E> {
    /// Those that something draws.
    pub fn drawn(draw: impl Fn(&mut Case) -> E + Send + Sync + 'static) -> Values<E> {
        Values { kind: Kind::Drawn(Arc::new(draw)) }
    }
}

impl<E, const N: usize> From<[E; N]> for Values<E> {
    fn from(values: [E; N]) -> Values<E> {
        Values { kind: Kind::Listed(values.into()) }
    }
}

impl<E> From<Vec<E>> for Values<E> {
    fn from(values: Vec<E>) -> Values<E> {
        Values { kind: Kind::Listed(values) }
    }
}

macro_rules! ranges {
    ($($int:ty),*) => {$(
        impl From<RangeInclusive<$int>> for Values<$int> {
            fn from(range: RangeInclusive<$int>) -> Values<$int> {
                let ends = (i128::from(*range.start()), i128::from(*range.end()));
                Values { kind: Kind::Ranges(vec![ends], |number| number as $int) }
            }
        }
    )*};
}

ranges!(i8, i16, i32, i64, u8, u16, u32, u64);

impl<E> Clone for Atom<E> {
    fn clone(&self) -> Atom<E> {
        Atom { inside: Arc::clone(&self.inside) }
    }
}

impl<E> Debug for Atom<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Atom({:?})", self.inside.name)
    }
}

/// Something that is true or false of an element. Its name is for people, and for formulas that are written as text.
///
/// ```
/// use gainsay_temporal::{always, atom};
///
/// let high = atom("pressure > 10", |pressure: &i32| *pressure > 10).when_true(11..=20).when_false(0..=10);
/// assert_eq!(always(!high).to_string(), "G !`pressure > 10`");
/// ```
pub fn atom<E: 'static>(
    name: impl Into<String>,
    holds: impl Fn(&E) -> bool + Send + Sync + 'static,
) -> Atom<E> {
    let code = code_of(&holds);
    let holds = Arc::new(holds);
    let each = Arc::clone(&holds);
    // (A loop around the user's function, and not the other way round: so it is compiled into one.)
    let holds_all = move |elements: &[E]| {
        elements.iter().enumerate().fold(0, |bits, (place, element)| bits | u64::from(each(element)) << place)
    };
    let mut atom = Atom::new(name.into(), Arc::new(move |_, element| holds(element)), false);
    if let Some(inside) = Arc::get_mut(&mut atom.inside) {
        inside.holds_all = Some(Arc::new(holds_all));
        inside.code = code;
    }
    atom
}

/// Something that is true or false of an element and the one before it, if there is one.
pub fn relation<E>(
    name: impl Into<String>,
    holds: impl Fn(Option<&E>, &E) -> bool + Send + Sync + 'static,
) -> Atom<E> {
    let code = code_of(&holds);
    let mut atom = Atom::new(name.into(), Arc::new(holds), true);
    if let Some(inside) = Arc::get_mut(&mut atom.inside) {
        inside.code = code;
    }
    atom
}

/// What tells a function apart from others, if it captures nothing.
fn code_of<F: 'static>(_: &F) -> Option<TypeId> {
    (size_of::<F>() == 0).then(TypeId::of::<F>)
}

/// Something that is true or false of an element by a state of its own, which each element changes.
///
/// ```
/// use gainsay_temporal::{always, tracked};
///
/// let affordable = tracked("affordable", 10, |left: &mut i32, price: &i32| {
///     *left -= price;
///     *left >= 0
/// });
/// assert!(always(affordable.clone()).holds(&[3, 7]));
/// assert!(!always(affordable).holds(&[3, 7, 1]));
/// ```
pub fn tracked<E: 'static, S: Clone + Send + Sync + 'static>(
    name: impl Into<String>,
    start: S,
    next: impl Fn(&mut S, &E) -> bool + Send + Sync + 'static,
) -> Atom<E> {
    let next = Arc::new(next);
    let (first, alone) = (start.clone(), Arc::clone(&next));
    // (Alone, an element is the first.)
    let mut atom =
        Atom::new(name.into(), Arc::new(move |_, element| alone(&mut first.clone(), element)), true);
    if let Some(inside) = Arc::get_mut(&mut atom.inside) {
        inside.tracks = Some(Arc::new(Tracking { state: start, next }));
    }
    atom
}

impl<E> Atom<E> {
    fn new(name: String, holds: Arc<Holds<E>>, looks_back: bool) -> Atom<E> {
        let inside = Inside {
            name,
            holds,
            holds_all: None,
            when_true: None,
            when_false: None,
            draws: None,
            looks_back,
            code: None,
            is_one_by_name: false,
            tracks: None,
        };
        Atom { inside: Arc::new(inside) }
    }

    /// Elements of which it is true.
    #[must_use]
    pub fn when_true(self, values: impl Into<Values<E>>) -> Atom<E>
    where
        E: Clone,
    {
        self.changed(|inside| inside.when_true = Some(values.into()))
    }

    /// Elements of which it is false.
    #[must_use]
    pub fn when_false(self, values: impl Into<Values<E>>) -> Atom<E>
    where
        E: Clone,
    {
        self.changed(|inside| inside.when_false = Some(values.into()))
    }

    /// Draws elements of which it is true or false, as is wanted, by the element before.
    #[must_use]
    pub fn draws(
        self,
        draws: impl Fn(Option<&E>, bool, &mut Case) -> Option<E> + Send + Sync + 'static,
    ) -> Atom<E>
    where
        E: Clone,
    {
        self.changed(|inside| inside.draws = Some(Arc::new(draws)))
    }

    /// All atoms of this name that say so are one and the same: for a function that makes an atom, and is called more than once. Whoever says
    /// so vouches that they mean the same. (An atom and its clones are one anyway, and so are atoms of one name by one closure that captures
    /// nothing.) Other atoms of one name in one formula are a mistake, of which judges and generators tell.
    ///
    /// ```
    /// use gainsay_temporal::{Acceptor, always, atom, eventually};
    ///
    /// let at_least = |least: u8| atom(format!("at least {least}"), move |number: &u8| *number >= least);
    /// assert!(Acceptor::new(&(always(at_least(3)) | eventually(!at_least(3)))).is_err());
    /// let at_least = |least: u8| at_least(least).one_by_name();
    /// assert!(Acceptor::new(&(always(at_least(3)) | eventually(!at_least(3)))).is_ok());
    /// ```
    #[must_use]
    pub fn one_by_name(self) -> Atom<E>
    where
        E: Clone,
    {
        self.changed(|inside| inside.is_one_by_name = true)
    }

    fn changed(self, change: impl FnOnce(&mut Inside<E>)) -> Atom<E>
    where
        E: Clone,
    {
        let Inside { name, holds, holds_all, when_true, when_false, draws, tracks, .. } = &*self.inside;
        let mut inside = Inside {
            name: name.clone(),
            holds: Arc::clone(holds),
            holds_all: holds_all.clone(),
            when_true: when_true.clone(),
            when_false: when_false.clone(),
            draws: draws.clone(),
            looks_back: self.inside.looks_back,
            code: self.inside.code,
            is_one_by_name: self.inside.is_one_by_name,
            tracks: tracks.clone(),
        };
        change(&mut inside);
        Atom { inside: Arc::new(inside) }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.inside.name
    }

    /// Whether it is true of an element.
    #[inline]
    pub fn holds(&self, before: Option<&E>, element: &E) -> bool {
        (self.inside.holds)(before, element)
    }

    /// Whether it depends on the element before.
    pub(crate) fn looks_back(&self) -> bool {
        self.inside.looks_back
    }

    pub(crate) fn is_same(&self, other: &Atom<E>) -> bool {
        let (one, two) = (&*self.inside, &*other.inside);
        let is_one_by_name = one.is_one_by_name && two.is_one_by_name;
        let is_one_by_code = one.code.is_some() && one.code == two.code;
        Arc::ptr_eq(&one.holds, &two.holds) || one.name == two.name && (is_one_by_name || is_one_by_code)
    }

    /// Whether more is known of the elements that make it true or false.
    pub(crate) fn knows_more_than(&self, other: &Atom<E>) -> bool {
        let known = |atom: &Atom<E>| {
            let Inside { when_true, when_false, draws, .. } = &*atom.inside;
            [when_true.is_some(), when_false.is_some(), draws.is_some()]
                .iter()
                .filter(|known| **known)
                .count()
        };
        known(self) > known(other)
    }

    fn values(&self, wanted: bool) -> Option<&Values<E>> {
        if wanted { self.inside.when_true.as_ref() } else { self.inside.when_false.as_ref() }
    }
}

/// The atoms that hold of an element, as bits, if none looks back.
#[inline]
pub(crate) fn letter<E>(atoms: &[Atom<E>], element: &E) -> u64 {
    atoms
        .iter()
        .enumerate()
        .fold(0, |letter, (bit, atom)| letter | u64::from(atom.holds(None, element)) << bit)
}

/// The atoms that hold of each of at most 64 elements; nothing if one of them looks back.
#[inline]
pub(crate) fn letters_of<E>(atoms: &[Atom<E>], elements: &[E], letters: &mut [u8; 64]) -> bool {
    *letters = [0; 64];
    for (bit, atom) in atoms.iter().enumerate() {
        let Some(holds_all) = &atom.inside.holds_all else { return false };
        let holds = holds_all(elements);
        for (place, letter) in letters.iter_mut().enumerate() {
            *letter |= ((holds >> place & 1) as u8) << bit;
        }
    }
    true
}

/// So many atoms a formula may have.
pub(crate) const ATOMS_MAX: usize = 16;

/// The letters that some element has, as far as that is known of their atoms.
pub(crate) fn letters<E: Clone>(atoms: &[Atom<E>]) -> Vec<u64> {
    (0..1u64 << atoms.len()).filter(|letter| !matches!(choice(atoms, *letter), Choice::None)).collect()
}

/// Where elements of a letter are drawn from.
enum Choice<'a, E> {
    /// There are none.
    None,
    Ranges(Vec<(i128, i128)>, fn(i128) -> E),
    Listed(Vec<E>),
    Drawn(&'a Atom<E>, bool),
    /// Nothing is known.
    Open,
}

/// Whole numbers, and what they stand for.
type Ranges<E> = (Vec<(i128, i128)>, fn(i128) -> E);

/// All that is known of the elements of a letter.
fn choice<E: Clone>(atoms: &[Atom<E>], letter: u64) -> Choice<'_, E> {
    let wanted = |bit: usize| letter >> bit & 1 == 1;
    let mut ranges: Option<Ranges<E>> = None;
    let (mut drawn, mut listed) = (None, None);
    for (bit, atom) in atoms.iter().enumerate() {
        match atom.values(wanted(bit)).map(|values| &values.kind) {
            Some(Kind::Ranges(more, make)) => {
                let known = ranges.map_or_else(|| more.clone(), |(known, _)| common(&known, more));
                ranges = Some((known, *make));
            }
            Some(Kind::Listed(values)) => listed = listed.or(Some(values)),
            Some(Kind::Drawn(_)) => drawn = drawn.or(Some((atom, wanted(bit)))),
            None if atom.inside.draws.is_some() => drawn = Some((atom, wanted(bit))),
            None => {}
        }
    }
    if let Some(values) = listed {
        // What depends on the element before may be true or false of each.
        let fits = |value: &E| {
            let here = atoms.iter().enumerate();
            here.filter(|(_, atom)| !atom.looks_back())
                .all(|(bit, atom)| atom.holds(None, value) == wanted(bit))
        };
        let values: Vec<E> = values.iter().filter(|value| fits(value)).cloned().collect();
        return if values.is_empty() { Choice::None } else { Choice::Listed(values) };
    }
    match (ranges, drawn) {
        (Some((ranges, _)), _) if ranges.is_empty() => Choice::None,
        (_, Some((atom, wanted))) => Choice::Drawn(atom, wanted),
        (Some((ranges, make)), None) => Choice::Ranges(ranges, make),
        (None, None) => Choice::Open,
    }
}

/// What two lists of ranges have in common.
fn common(one: &[(i128, i128)], two: &[(i128, i128)]) -> Vec<(i128, i128)> {
    let both = one.iter().flat_map(|one| two.iter().map(|two| (one.0.max(two.0), one.1.min(two.1))));
    both.filter(|(start, end)| start <= end).collect()
}

/// So often an element is drawn that turns out to be another than was wanted.
const TRIES: usize = 100;

/// Draws an element of a letter; or the name of an atom that is never as it should be.
pub(crate) fn draw<E: Clone>(
    atoms: &[Atom<E>],
    letter: u64,
    context: &Context<E>,
    any: Option<&Any<E>>,
    case: &mut Case,
) -> Result<E, String> {
    let wanted = |bit: usize| letter >> bit & 1 == 1;
    let choice = choice(atoms, letter);
    let mut wrong = vec![0; atoms.len()];
    for attempt in 0..TRIES {
        let element = match &choice {
            Choice::None => None,
            Choice::Ranges(ranges, make) => {
                let range = if ranges.len() == 1 { 0 } else { case.index(ranges.len()) };
                let (start, end) = ranges[range];
                Some(make(case.int(start..=end)))
            }
            Choice::Listed(values) => {
                let place = if values.len() == 1 { 0 } else { case.index(values.len()) };
                Some(values[place].clone())
            }
            Choice::Drawn(atom, wanted) => {
                match (&atom.inside.draws, atom.values(*wanted).map(|values| &values.kind)) {
                    (Some(draws), _) => draws(context.before.as_ref(), *wanted, case),
                    (None, Some(Kind::Drawn(draw))) => Some(draw(case)),
                    _ => None,
                }
            }
            Choice::Open if attempt == 0 => any.map(|any| any(case)),
            Choice::Open => any.map(|any| case.afresh(any)),
        };
        let Some(element) = element else { break };
        let wrong_ones = context.try_out(atoms, &element) ^ letter;
        let misfit = (wrong_ones != 0).then(|| wrong_ones.trailing_zeros() as usize);
        match misfit {
            None => return Ok(element),
            Some(bit) => wrong[bit] += 1,
        }
        if case.is_over() {
            // (Nobody looks at it any more.)
            return Ok(element);
        }
    }
    let worst = (0..atoms.len()).max_by_key(|bit| wrong[*bit]).filter(|bit| wrong[*bit] > 0);
    let culprit = worst.map(|bit| format!("`{}` is never {}", atoms[bit].name(), wanted(bit)));
    if atoms.is_empty() {
        return Err("nobody says which elements there are: say `among` or `among_all`".into());
    }
    Err(culprit.unwrap_or_else(|| {
        let names: Vec<String> =
            (0..atoms.len()).map(|bit| format!("`{}` is {}", atoms[bit].name(), wanted(bit))).collect();
        format!(
            "nobody says which elements there are for which {}: say `when_true`, `when_false`, `draws` or `among`",
            names.join(" and ")
        )
    }))
}
