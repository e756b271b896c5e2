//! Formulas as text: reading and writing.
//!
//! ```text
//! formula   true  false  name  `any name`  ! f   f & f   f | f   f -> f   f <-> f   ( f )
//! future    X f (next)   N f (next, if any)   F f (eventually)   G f (always)   f U f (until)   f W f (weak until)   f R f (release)
//! past      P f (previous)   Z f (previous, if any)   O f (once)   H f (historically)   f S f (since)   f B f (back to)
//! bounds    F[0,3] f   f U[2,5] f   G[1,] f   X[3] f   F[0,500ms] f   H[1s,2s] f      elements, or ns, us, ms, s
//! ```
//!
//! Names bind tightest, then the operators with one operand, then `U W R S B`, then `&`, `|`, `->`, `<->`.

use crate::atom::Atom;
use crate::formula::Formula;
use crate::shape::{Binary, Bound, Shape, Unary};
use std::fmt::{self, Display};
use std::sync::Arc;

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    text: String,
    /// The place, in bytes.
    start: usize,
    end: usize,
    message: String,
}

impl SyntaxError {
    pub(crate) fn new(text: &str, span: std::ops::Range<usize>, message: impl Into<String>) -> SyntaxError {
        SyntaxError { text: text.into(), start: span.start, end: span.end, message: message.into() }
    }

    /// The place in the text, in bytes.
    pub fn span(&self) -> std::ops::Range<usize> {
        self.start..self.end
    }

    /// What is wrong, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line_start = self.text[..self.start].rfind('\n').map_or(0, |end| end + 1);
        let line_end = self.text[self.start..].find('\n').map_or(self.text.len(), |end| self.start + end);
        let line = self.text[..self.start].matches('\n').count() + 1;
        let column = self.text[line_start..self.start].chars().count() + 1;
        let carets = self.text[self.start..self.end.clamp(self.start, line_end)].chars().count().max(1);
        writeln!(f, "{} (line {line}, column {column})", self.message)?;
        writeln!(f, "  | {}", &self.text[line_start..line_end])?;
        write!(f, "  | {}{}", " ".repeat(column - 1), "^".repeat(carets))
    }
}

impl std::error::Error for SyntaxError {}

/// Reads a formula, whose atoms are these.
///
/// ```
/// use gainsay_temporal::{atom, parse};
///
/// let atoms = [atom("request", |line: &char| *line == '?'), atom("answer", |line: &char| *line == '!')];
/// let formula = parse("G (request -> F[0,3] answer)", &atoms)?;
/// assert!(formula.holds(&['?', '.', '!']));
/// assert_eq!(formula.to_string(), "G (request -> F[0,3] answer)");
/// # Ok::<(), gainsay_temporal::SyntaxError>(())
/// ```
///
/// # Errors
/// If the text is no formula, or names an atom that is not there; the error shows the place.
pub fn parse<E>(text: &str, atoms: &[Atom<E>]) -> Result<Formula<E>, SyntaxError> {
    let names: Vec<&str> = atoms.iter().map(Atom::name).collect();
    let mut reader = Reader { text, tokens: tokens(text)?, at: 0, depth: 0, names };
    let (shape, _) = reader.formula(0)?;
    if reader.peek().token != Token::End {
        return Err(reader.unexpected("an operator or the end"));
    }
    Ok(Formula { shape: Arc::new(shape), atoms: atoms.to_vec() })
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Name(String),
    /// A name in backquotes: never an operator.
    Quoted(String),
    Number(u64, String),
    Symbol(&'static str),
    End,
}

#[derive(Debug, Clone)]
struct Placed {
    token: Token,
    start: usize,
    end: usize,
}

const SYMBOLS: [&str; 14] = ["<->", "<=>", "->", "=>", "&&", "||", "!", "&", "|", "(", ")", "[", "]", ","];

fn tokens(text: &str) -> Result<Vec<Placed>, SyntaxError> {
    let error =
        |start: usize, end: usize, message: String| SyntaxError { text: text.into(), start, end, message };
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let start = at;
        let token = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| text[at..].starts_with(**symbol)) {
            at += symbol.len();
            Token::Symbol(symbol)
        } else if first == '`' {
            // (Two in a row are one of the name.)
            let mut name = String::new();
            at += 1;
            loop {
                let Some(length) = text[at..].find('`') else {
                    return Err(error(start, text.len(), "a name that begins with ` does not end".into()));
                };
                name.push_str(&text[at..at + length]);
                at += length + 1;
                if !text[at..].starts_with('`') {
                    break;
                }
                name.push('`');
                at += 1;
            }
            Token::Quoted(name)
        } else if first.is_ascii_digit() {
            let digits = text[at..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |end| at + end);
            let end =
                text[digits..].find(|c: char| !c.is_alphanumeric()).map_or(text.len(), |end| digits + end);
            at = end;
            let number = text[start..digits].parse();
            let number = number.map_err(|_| error(start, digits, "this number is too large".into()))?;
            Token::Number(number, text[digits..end].into())
        } else if first.is_alphabetic() || first == '_' {
            let end = text[at..]
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .map_or(text.len(), |end| at + end);
            at = end;
            Token::Name(text[start..end].into())
        } else {
            let end = at + first.len_utf8();
            return Err(error(start, end, format!("`{first}` means nothing here")));
        };
        tokens.push(Placed { token, start, end: at });
    }
    tokens.push(Placed { token: Token::End, start: text.len(), end: text.len() });
    Ok(tokens)
}

struct Reader<'a> {
    text: &'a str,
    tokens: Vec<Placed>,
    at: usize,
    depth: usize,
    names: Vec<&'a str>,
}

/// Makes one formula of two.
type Join = fn(Arc<Shape>, Arc<Shape>) -> Shape;

/// So deep formulas may be nested.
const DEPTH_MAX: usize = 200;

/// The height of the syntax tree at most. `a & b & c` nests nothing, and is higher by one with each operand: whatever goes through a formula takes
/// stack for each.
const HEIGHT_MAX: usize = 1000;

/// So many elements a bound may speak of.
const STEPS_MAX: u64 = 1000;

impl Reader<'_> {
    fn peek(&self) -> &Placed {
        &self.tokens[self.at]
    }

    fn take(&mut self) -> Placed {
        let token = self.tokens[self.at].clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn error(&self, at: &Placed, message: impl Into<String>) -> SyntaxError {
        SyntaxError { text: self.text.into(), start: at.start, end: at.end, message: message.into() }
    }

    fn unexpected(&self, expected: &str) -> SyntaxError {
        let at = self.peek();
        let found = match at.token {
            Token::End => "the end".to_string(),
            _ => format!("`{}`", &self.text[at.start..at.end]),
        };
        self.error(at, format!("expected {expected}, found {found}"))
    }

    fn is_symbol(&self, symbols: &[&str]) -> bool {
        matches!(self.peek().token, Token::Symbol(symbol) if symbols.contains(&symbol))
    }

    /// A formula of operators that bind at least so tightly, and its height.
    fn formula(&mut self, tightness: u8) -> Result<(Shape, usize), SyntaxError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.error(self.peek(), format!("formulas are nested {DEPTH_MAX} deep at most")));
        }
        let (mut shape, mut height) = self.single()?;
        loop {
            let (level, make): (u8, Join) = match &self.peek().token {
                Token::Symbol("<->" | "<=>") => (0, Shape::Iff),
                Token::Symbol("->" | "=>") => (1, Shape::Implies),
                Token::Symbol("|" | "||") => (2, Shape::Or),
                Token::Symbol("&" | "&&") => (3, Shape::And),
                Token::Name(name) if binary(name).is_some() => (4, Shape::And),
                _ => break,
            };
            if level < tightness {
                break;
            }
            let operator = self.take();
            if level == 4 {
                let Token::Name(name) = &operator.token else { break };
                let Some(operator) = binary(name) else { break };
                let bound = self.bound()?;
                // What stands to the right is read first: p U q U r is p U (q U r).
                let (two, height_two) = self.formula(4)?;
                height = self.higher(height.max(height_two))?;
                shape = Shape::Two(operator, bound, Arc::new(shape), Arc::new(two));
                continue;
            }
            // (Implications belong to the right, everything else to the left.)
            let (two, height_two) = self.formula(if level == 1 { 1 } else { level + 1 })?;
            height = self.higher(height.max(height_two))?;
            shape = make(Arc::new(shape), Arc::new(two));
        }
        self.depth -= 1;
        Ok((shape, height))
    }

    /// The height of an operator over operands of this height.
    fn higher(&self, height: usize) -> Result<usize, SyntaxError> {
        if height < HEIGHT_MAX {
            return Ok(height + 1);
        }
        let message = format!(
            "more than {HEIGHT_MAX} operators are above one another here, and `a & b & c` counts twice: put halves in brackets, as in \
             `(a & b) & (c & d)`"
        );
        Err(self.error(self.peek(), message))
    }

    /// A formula without operators between others, and its height.
    fn single(&mut self) -> Result<(Shape, usize), SyntaxError> {
        let expected = "a formula";
        let token = self.peek().token.clone();
        match token {
            Token::Symbol("(") => {
                self.take();
                let read = self.formula(0)?;
                if !self.is_symbol(&[")"]) {
                    return Err(self.unexpected("`)` or an operator"));
                }
                self.take();
                Ok(read)
            }
            Token::Symbol("!") => {
                self.take();
                let (of, height) = self.operand()?;
                Ok((Shape::not(of), height))
            }
            Token::Name(name) => {
                let at = self.take();
                match name.as_str() {
                    "true" => return Ok((Shape::True, 1)),
                    "false" => return Ok((Shape::False, 1)),
                    "X" | "N" | "P" | "Z" => {
                        let steps = self.steps()?;
                        let weak = name == "N" || name == "Z";
                        let (of, height) = self.operand()?;
                        let of = Arc::new(of);
                        let shape = match name.as_str() {
                            "X" | "N" => Shape::Next { weak, steps, of },
                            _ => Shape::Previous { weak, steps, of },
                        };
                        return Ok((shape, height));
                    }
                    _ => {}
                }
                if let Some(operator) = unary(&name) {
                    let bound = self.bound()?;
                    let (of, height) = self.operand()?;
                    return Ok((Shape::One(operator, bound, Arc::new(of)), height));
                }
                if binary(&name).is_some() {
                    return Err(self.error(&at, format!("`{name}` stands between two formulas")));
                }
                self.atom(&at, &name)
            }
            Token::Quoted(name) => {
                let at = self.take();
                self.atom(&at, &name)
            }
            Token::Number(..) | Token::Symbol(_) | Token::End => Err(self.unexpected(expected)),
        }
    }

    /// The operand of an operator with one, and the height of both.
    fn operand(&mut self) -> Result<(Shape, usize), SyntaxError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.error(self.peek(), format!("formulas are nested {DEPTH_MAX} deep at most")));
        }
        let (shape, height) = self.single()?;
        self.depth -= 1;
        Ok((shape, self.higher(height)?))
    }

    fn atom(&self, at: &Placed, name: &str) -> Result<(Shape, usize), SyntaxError> {
        let place = self.names.iter().position(|known| *known == name);
        place.map(|place| (Shape::Atom(place as u32), 1)).ok_or_else(|| {
            let known: Vec<String> = self.names.iter().map(|name| quoted(name)).collect();
            self.error(
                at,
                format!("there is no atom called {}: there are {}", quoted(name), known.join(", ")),
            )
        })
    }

    /// How many elements further.
    fn steps(&mut self) -> Result<u32, SyntaxError> {
        if !self.is_symbol(&["["]) {
            return Ok(1);
        }
        self.take();
        let at = self.take();
        let steps = match &at.token {
            Token::Number(steps, unit) if unit.is_empty() && (1..=STEPS_MAX).contains(steps) => *steps as u32,
            _ => return Err(self.error(&at, format!("expected a number of elements from 1 to {STEPS_MAX}"))),
        };
        self.close()?;
        Ok(steps)
    }

    fn close(&mut self) -> Result<(), SyntaxError> {
        if !self.is_symbol(&["]"]) {
            return Err(self.unexpected("`]`"));
        }
        self.take();
        Ok(())
    }

    fn bound(&mut self) -> Result<Bound, SyntaxError> {
        if !self.is_symbol(&["["]) {
            return Ok(Bound::None);
        }
        self.take();
        let first = self.take();
        let Token::Number(from, from_unit) = first.token.clone() else {
            return Err(self.error(&first, "expected a number of elements, or a time such as 500ms"));
        };
        if !self.is_symbol(&[","]) {
            return Err(self.unexpected("`,`"));
        }
        self.take();
        let second = self.peek().clone();
        let to = match second.token.clone() {
            Token::Number(to, unit) => {
                self.take();
                Some((to, unit))
            }
            Token::Symbol("]") => None,
            _ => return Err(self.unexpected("a number, or `]` where there is no end")),
        };
        let is_time = !from_unit.is_empty() || to.as_ref().is_some_and(|(_, unit)| !unit.is_empty());
        let bound = if is_time {
            let from = self.time(&first, from, &from_unit)?;
            let to = to.map(|(to, unit)| self.time(&second, to, &unit)).transpose()?;
            Bound::Time(from, to)
        } else {
            let to = to.map(|(to, _)| to);
            if from.max(to.unwrap_or(0)) > STEPS_MAX {
                return Err(
                    self.error(&second, format!("a bound is at most {STEPS_MAX} elements: say it in time"))
                );
            }
            Bound::Steps(from, to)
        };
        if let Bound::Steps(from, Some(to)) | Bound::Time(from, Some(to)) = bound
            && from > to
        {
            let both = Placed { token: Token::End, start: first.start, end: second.end };
            return Err(self.error(&both, "nothing lies between these: the first is larger"));
        }
        self.close()?;
        Ok(bound)
    }

    fn time(&self, at: &Placed, number: u64, unit: &str) -> Result<u64, SyntaxError> {
        let factor = match unit {
            "ns" => 1,
            "us" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "" if number == 0 => 1,
            "" => return Err(self.error(at, "a time needs its unit: ns, us, ms or s")),
            _ => return Err(self.error(at, format!("`{unit}` is no unit of time: use ns, us, ms or s"))),
        };
        number.checked_mul(factor).ok_or_else(|| self.error(at, "this time is too long"))
    }
}

fn unary(name: &str) -> Option<Unary> {
    Some(match name {
        "G" => Unary::Always,
        "F" => Unary::Eventually,
        "H" => Unary::Historically,
        "O" => Unary::Once,
        _ => return None,
    })
}

fn binary(name: &str) -> Option<Binary> {
    Some(match name {
        "U" => Binary::Until,
        "W" => Binary::WeakUntil,
        "R" => Binary::Release,
        "S" => Binary::Since,
        "B" => Binary::BackTo,
        _ => return None,
    })
}

/// A name as it must be written.
fn quoted(name: &str) -> String {
    let mut letters = name.chars();
    let is_plain = letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && letters.all(|c| c.is_alphanumeric() || c == '_');
    let is_word = unary(name).is_some()
        || binary(name).is_some()
        || ["true", "false", "X", "N", "P", "Z"].contains(&name);
    if is_plain && !is_word { name.to_string() } else { format!("`{}`", name.replace('`', "``")) }
}

/// Writes a formula.
pub(crate) fn write<'a>(
    f: &mut fmt::Formatter<'_>,
    shape: &Shape,
    name: &impl Fn(u32) -> &'a str,
) -> fmt::Result {
    write_at(f, shape, name, 0)
}

fn write_at<'a>(
    f: &mut fmt::Formatter<'_>,
    shape: &Shape,
    name: &impl Fn(u32) -> &'a str,
    tightness: u8,
) -> fmt::Result {
    let level = match shape {
        Shape::Iff(..) => 0,
        Shape::Implies(..) => 1,
        Shape::Or(..) => 2,
        Shape::And(..) => 3,
        Shape::Two(..) => 4,
        _ => 5,
    };
    if level < tightness {
        f.write_str("(")?;
        write_at(f, shape, name, 0)?;
        return f.write_str(")");
    }
    let mut between = |one: &Shape, operator: &str, two: &Shape, left: u8, right: u8| {
        write_at(f, one, name, left)?;
        write!(f, " {operator} ")?;
        write_at(f, two, name, right)
    };
    match shape {
        Shape::True => f.write_str("true"),
        Shape::False => f.write_str("false"),
        Shape::Atom(atom) => f.write_str(&quoted(name(*atom))),
        Shape::Iff(one, two) => between(one, "<->", two, 0, 1),
        Shape::Implies(one, two) => between(one, "->", two, 2, 1),
        Shape::Or(one, two) => between(one, "|", two, 2, 3),
        Shape::And(one, two) => between(one, "&", two, 3, 4),
        Shape::Two(operator, bound, one, two) => {
            between(one, &format!("{}{}", operator.letter(), Shown(*bound)), two, 5, 5)
        }
        Shape::Not(of) => {
            f.write_str("!")?;
            write_at(f, of, name, 5)
        }
        Shape::Next { weak, steps, of } | Shape::Previous { weak, steps, of } => {
            let is_next = matches!(shape, Shape::Next { .. });
            f.write_str(match (is_next, weak) {
                (true, false) => "X",
                (true, true) => "N",
                (false, false) => "P",
                (false, true) => "Z",
            })?;
            if *steps != 1 {
                write!(f, "[{steps}]")?;
            }
            f.write_str(" ")?;
            write_at(f, of, name, 5)
        }
        Shape::One(operator, bound, of) => {
            write!(f, "{}{} ", operator.letter(), Shown(*bound))?;
            write_at(f, of, name, 5)
        }
    }
}

/// So much time, as it is written.
pub(crate) fn amount(nanoseconds: u64) -> String {
    match nanoseconds {
        0 => "0s".to_string(),
        time if time % 1_000_000_000 == 0 => format!("{}s", time / 1_000_000_000),
        time if time % 1_000_000 == 0 => format!("{}ms", time / 1_000_000),
        time if time % 1000 == 0 => format!("{}us", time / 1000),
        time => format!("{time}ns"),
    }
}

/// A bound, as it is written.
struct Shown(Bound);

impl Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Bound::None => Ok(()),
            Bound::Steps(from, to) => {
                write!(f, "[{from},{}]", to.map(|to| to.to_string()).unwrap_or_default())
            }
            Bound::Time(from, to) => write!(f, "[{},{}]", amount(from), to.map(amount).unwrap_or_default()),
        }
    }
}
