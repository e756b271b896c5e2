//! Random Wp: a test leads to a state, goes a few inputs on, and then tells the state reached from another. Plain random walks seldom get
//! out of the states that most inputs lead to.
//!
//! Rick Smeenk, Joshua Moerman, Frits Vaandrager, David N. Jansen: *Applying Automata Learning to Embedded Control Software*, 2015.

use super::super::Table;
use super::super::separate::Separators;
use super::super::ways::Ways;
use gainsay_core::Case;

/// Specifications with more states are not looked at as a whole for this.
pub(super) const STATES_MAX: usize = 500;

/// After its way to a state a test goes on with one more input in so many of so many cases: four on average.
const GOES_ON: (u64, u64) = (4, 5);

/// Half of the cases lean to something by this number: these are led.
const LEANS: u64 = 0x5770;

/// What a test is to be given next.
pub(super) enum Wish {
    /// Whatever is drawn; rather something new.
    Something,
    /// Whatever is drawn, one as often as the other.
    Anything,
    Input(u32),
    Nothing,
}

/// How far a test is.
#[derive(Clone, Copy)]
enum Stage {
    /// Nobody leads it.
    Free,
    /// Nobody leads it, but it ends after so many inputs more in narrow states.
    Roaming(usize),
    Towards(u32),
    Infix,
    Telling(usize),
}

/// What leads random tests.
pub(super) struct Guide<'a> {
    table: &'a Table,
    separators: Separators<'a>,
    ways: Ways,
    /// From where less than half of the states can be reached.
    is_narrow: Vec<bool>,
    /// The state of the specification.
    state: u32,
    stage: Stage,
    telling: Vec<u32>,
    random: u64,
    weights: Vec<u32>,
}

impl<'a> Guide<'a> {
    /// `table` is minimal.
    pub(super) fn new(table: &'a Table) -> Guide<'a> {
        let ways = Ways::new(table);
        let is_narrow = |state: u32| 2 * (ways.reached(state) + 1) < table.states();
        Guide {
            table,
            separators: Separators::new(table),
            is_narrow: (0..table.states() as u32).map(is_narrow).collect(),
            ways,
            state: 0,
            stage: Stage::Free,
            telling: Vec::new(),
            random: 0,
            weights: vec![0; table.inputs()],
        }
    }

    /// A test begins.
    pub(super) fn begin(&mut self, case: &mut Case) {
        self.state = 0;
        self.random = case.leans(LEANS);
        self.stage = match self.random {
            0 if case.is_random() => Stage::Roaming(self.table.inputs()),
            0 => Stage::Free,
            _ => Stage::Towards(self.below_states()),
        };
    }

    /// What comes next.
    pub(super) fn wish(&mut self) -> Wish {
        loop {
            self.stage = match self.stage {
                Stage::Roaming(0) => return Wish::Nothing,
                Stage::Free | Stage::Roaming(_) => return Wish::Something,
                Stage::Towards(target) if target == self.state => Stage::Infix,
                Stage::Towards(target) => {
                    return self.ways.first(self.state, target).map_or(Wish::Nothing, Wish::Input);
                }
                Stage::Infix => {
                    if self.below(GOES_ON.1) < GOES_ON.0 {
                        return Wish::Anything;
                    }
                    let other = self.below_states();
                    self.telling = self.separators.inputs(self.state, other);
                    Stage::Telling(0)
                }
                Stage::Telling(place) => match self.telling.get(place) {
                    Some(input) => return Wish::Input(*input),
                    None => Stage::Towards(self.below_states()),
                },
            };
        }
    }

    /// Draws the input that is wished for.
    pub(super) fn draw(&mut self, case: &mut Case, wished: u32) -> usize {
        self.weights[wished as usize] = 1;
        let drawn = case.index_weighted(&self.weights);
        self.weights[wished as usize] = 0;
        drawn
    }

    /// An input was given, and answered as specified.
    pub(super) fn step(&mut self, input: usize) {
        if let Some((next, _)) = self.table.step(self.state, input as u32) {
            self.state = next;
        }
        match &mut self.stage {
            Stage::Roaming(left) if self.is_narrow[self.state as usize] => *left -= 1,
            Stage::Telling(place) => *place += 1,
            Stage::Roaming(_) | Stage::Free | Stage::Towards(_) | Stage::Infix => {}
        }
    }

    fn below_states(&mut self) -> u32 {
        self.below(self.table.states() as u64) as u32
    }

    /// A number below another. (SplitMix64: Guy L. Steele, Doug Lea, Christine H. Flood, 2014.)
    fn below(&mut self, end: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.random;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) % end.max(1)
    }
}
