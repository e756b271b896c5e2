//! Reads formulas: operator precedence, in one pass from left to right. Whether something in brackets is a term or a formula turns out behind it,
//! so both are read by the same function.

use super::super::aggregate::{Aggregate, checked};
use super::super::fact::{at_most, equal, less};
use super::super::formula::{Formula, Said, Window, exists, forall};
use super::super::term::{Operator, Term, value, var};
use super::lex::{Placed, Token, tokens};
use super::{Language, Literal, WORDS, quoted};
use crate::shape::{Binary, Unary};
use crate::text::SyntaxError;
use std::sync::Arc;

pub(super) fn parse<E, V: Literal + 'static>(
    language: &Language<E, V>,
    text: &str,
) -> Result<Formula<E, V>, SyntaxError> {
    let mut reader = Reader { language, text, tokens: tokens(text)?, at: 0, depth: 0 };
    let parsed = reader.expression(0)?;
    if reader.peek().token != Token::End {
        return Err(reader.unexpected("an operator or the end"));
    }
    reader.formula_of(parsed)
}

/// Formulas and terms are nested this deep at most.
const DEPTH_MAX: usize = 200;

struct Reader<'a, E, V> {
    language: &'a Language<E, V>,
    text: &'a str,
    tokens: Vec<Placed>,
    at: usize,
    depth: usize,
}

/// Something that was read, and how deep it is nested.
struct Parsed<E, V> {
    kind: Kind<E, V>,
    height: usize,
    start: usize,
    end: usize,
}

enum Kind<E, V> {
    Formula(Formula<E, V>),
    Term(Term<V>),
    /// A variable, or a fact about nothing.
    Name(String),
}

type Read<T> = Result<T, SyntaxError>;

impl<E, V: Literal + 'static> Reader<'_, E, V> {
    fn peek(&self) -> Placed {
        self.tokens[self.at]
    }

    fn take(&mut self) -> Placed {
        let token = self.tokens[self.at];
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn said(&self, at: Placed) -> &str {
        &self.text[at.start..at.end]
    }

    fn error(&self, start: usize, end: usize, message: impl Into<String>) -> SyntaxError {
        SyntaxError::new(self.text, start..end, message)
    }

    fn unexpected(&self, expected: &str) -> SyntaxError {
        let at = self.peek();
        let found = match at.token {
            Token::End => "the end".to_string(),
            _ => format!("`{}`", self.said(at)),
        };
        self.error(at.start, at.end, format!("expected {expected}, found {found}"))
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek().token, Token::Symbol(found) if found == symbol)
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let is_there = self.is_symbol(symbol);
        if is_there {
            self.take();
        }
        is_there
    }

    fn expect(&mut self, symbol: &'static str) -> Read<Placed> {
        if self.is_symbol(symbol) { Ok(self.take()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    fn made(&self, kind: Kind<E, V>, height: usize, start: usize) -> Read<Parsed<E, V>> {
        let end = self.tokens[self.at.saturating_sub(1)].end;
        if height > DEPTH_MAX {
            return Err(self.too_deep(start, end));
        }
        Ok(Parsed { kind, height, start, end })
    }

    fn too_deep(&self, start: usize, end: usize) -> SyntaxError {
        self.error(start, end, format!("formulas are nested {DEPTH_MAX} deep at most"))
    }

    fn formula_of(&self, parsed: Parsed<E, V>) -> Read<Formula<E, V>> {
        match parsed.kind {
            Kind::Formula(formula) => Ok(formula),
            Kind::Term(_) => Err(self.error(parsed.start, parsed.end, "expected a formula, found a term")),
            Kind::Name(name) => match self.language.said(&name, Vec::new()) {
                Some(said) => self.counted(said, &name, 0, parsed.start, parsed.end),
                None => Err(self.unknown(&name, parsed.start, parsed.end)),
            },
        }
    }

    fn term_of(&self, parsed: Parsed<E, V>) -> Read<Term<V>> {
        match parsed.kind {
            Kind::Term(term) => Ok(term),
            Kind::Name(name) => Ok(var(&name)),
            Kind::Formula(_) => Err(self.error(parsed.start, parsed.end, "expected a term, found a formula")),
        }
    }

    fn counted<T>(
        &self,
        made: Result<T, usize>,
        name: &str,
        count: usize,
        start: usize,
        end: usize,
    ) -> Read<T> {
        let message = |arity: usize| format!("{} is about {arity} values, not {count}", quoted(name));
        made.map_err(|arity| self.error(start, end, message(arity)))
    }

    fn unknown(&self, name: &str, start: usize, end: usize) -> SyntaxError {
        let known: Vec<String> = self.language.names().into_iter().map(quoted).collect();
        let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
        let name = quoted(name);
        let message = format!("there is no fact, test or function called {name}: there are {known}");
        self.error(start, end, message)
    }

    /// Something of operators that bind at least so tightly.
    fn expression(&mut self, tightness: u8) -> Read<Parsed<E, V>> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            let at = self.peek();
            return Err(self.too_deep(at.start, at.end));
        }
        let mut one = self.single()?;
        while let Some(level) = self.level().filter(|level| *level >= tightness) {
            one = self.joined(one, level)?;
        }
        self.depth -= 1;
        Ok(one)
    }

    /// How tightly the operator binds that comes now, if one does.
    fn level(&self) -> Option<u8> {
        let at = self.peek();
        match at.token {
            Token::Symbol(symbol) => Some(match symbol {
                "<->" => 0,
                "->" => 1,
                "|" => 2,
                "&" => 3,
                "=" | "!=" | "<" | "<=" | ">" | ">=" => 5,
                "+" | "-" => 6,
                "*" | "/" | "%" => 7,
                _ => return None,
            }),
            Token::Word => binary(self.said(at)).map(|_| 4),
            _ => None,
        }
    }

    /// An operator between this and what comes behind it.
    fn joined(&mut self, one: Parsed<E, V>, level: u8) -> Read<Parsed<E, V>> {
        let operator = self.take();
        let start = one.start;
        let window = if level == 4 { self.window()? } else { Window::ALL };
        // (Implications and the operators of time belong to the right, everything else to the left.)
        let two = self.expression(if level == 1 || level == 4 { level } else { level + 1 })?;
        let height = 1 + one.height.max(two.height);
        if level >= 6 {
            let (one, two) = (self.term_of(one)?, self.term_of(two)?);
            let term = arithmetic(self.said(operator)).of(vec![one, two]);
            return self.made(Kind::Term(term), height, start);
        }
        if level == 5 {
            let (one, two) = (self.term_of(one)?, self.term_of(two)?);
            return self.made(Kind::Formula(comparison(self.said(operator), one, two)), height, start);
        }
        // A chain is as deep as its parts.
        let chained = one.height.max(1 + two.height);
        let (one, two) = (self.formula_of(one)?, self.formula_of(two)?);
        let (formula, height) = match level {
            0 => (one.iff(two), height),
            1 => (one.implies(two), height),
            2 => (one | two, chained),
            3 => (one & two, chained),
            _ => {
                let operator = binary(self.said(operator)).unwrap_or(Binary::Until);
                (Said::Two(operator, window, one.said, two.said).into(), height)
            }
        };
        self.made(Kind::Formula(formula), height, start)
    }

    /// Something without operators between others.
    fn single(&mut self) -> Read<Parsed<E, V>> {
        let at = self.take();
        let start = at.start;
        match at.token {
            Token::Symbol("(") => {
                let mut inside = self.expression(0)?;
                if !self.is_symbol(")") {
                    return Err(self.unexpected("`)` or an operator"));
                }
                inside.end = self.take().end;
                // (In brackets, a name stays what it is.)
                Ok(Parsed { start, ..inside })
            }
            Token::Symbol("!") => {
                let of = self.operand()?;
                let height = 1 + of.height;
                let of = self.formula_of(of)?;
                self.made(Kind::Formula(!of), height, start)
            }
            Token::Symbol("-") => self.negative(at),
            Token::Symbol("/") => self.path(at),
            Token::Number | Token::Text => self.literal(start, at.end),
            Token::Name => {
                let name = self.said(at);
                let name = match name.strip_prefix('`').and_then(|name| name.strip_suffix('`')) {
                    Some(name) => name.replace("``", "`"),
                    None => name.to_string(),
                };
                self.named(name, start)
            }
            Token::Word => self.word(at),
            Token::Symbol(_) | Token::End => {
                self.at -= usize::from(at.token != Token::End);
                Err(self.unexpected("a formula or a term"))
            }
        }
    }

    fn operand(&mut self) -> Read<Parsed<E, V>> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            let at = self.peek();
            return Err(self.too_deep(at.start, at.end));
        }
        let of = self.single();
        self.depth -= 1;
        of
    }

    fn literal(&self, start: usize, end: usize) -> Read<Parsed<E, V>> {
        let text = &self.text[start..end];
        match V::from_literal(text) {
            Some(literal) => self.made(Kind::Term(value(literal)), 1, start),
            None => Err(self.error(start, end, format!("`{text}` is no value here"))),
        }
    }

    /// A number below zero, or the negation of a term.
    fn negative(&mut self, at: Placed) -> Read<Parsed<E, V>> {
        let next = self.peek();
        if next.token == Token::Number && next.start == at.end {
            self.take();
            return self.literal(at.start, next.end);
        }
        let of = self.operand()?;
        let height = 1 + of.height;
        let of = self.term_of(of)?;
        self.made(Kind::Term(-of), height, at.start)
    }

    /// A name such as `/laser/front`.
    fn path(&mut self, at: Placed) -> Read<Parsed<E, V>> {
        let mut end = at.end;
        while matches!(self.peek().token, Token::Word | Token::Symbol("/")) && self.peek().start == end {
            end = self.take().end;
        }
        self.named(self.text[at.start..end].to_string(), at.start)
    }

    fn word(&mut self, at: Placed) -> Read<Parsed<E, V>> {
        let word = self.said(at).to_string();
        match word.as_str() {
            // (Where `true` is compared, it is a value.)
            "true" | "false" if self.level().is_some_and(|level| level >= 5) => {
                self.literal(at.start, at.end)
            }
            "true" | "false" => self.made(Kind::Formula((word == "true").into()), 1, at.start),
            "forall" | "exists" => self.quantified(at, word == "forall"),
            "X" | "N" | "P" | "Z" => {
                let window = self.window()?;
                let of = self.operand()?;
                let height = 1 + of.height;
                let weak = word == "N" || word == "Z";
                let of = self.formula_of(of)?.said;
                let said = match word.as_str() {
                    "X" | "N" => Said::Next { weak, window, of },
                    _ => Said::Previous { weak, window, of },
                };
                self.made(Kind::Formula(said.into()), height, at.start)
            }
            _ => match unary(&word) {
                Some(operator) => {
                    let window = self.window()?;
                    let of = self.operand()?;
                    let height = 1 + of.height;
                    let of = self.formula_of(of)?.said;
                    self.made(Kind::Formula(Said::One(operator, window, of).into()), height, at.start)
                }
                None => self.named(word, at.start),
            },
        }
    }

    /// A name, and what it is about.
    fn named(&mut self, name: String, start: usize) -> Read<Parsed<E, V>> {
        if self.takes("<-") {
            return self.aggregated(&name, start);
        }
        // (The name is as long as it is written, which may be shorter or longer than it is shown.)
        let name_end = self.tokens[self.at.saturating_sub(1)].end;
        if !self.takes("(") {
            return self.made(Kind::Name(name), 1, start);
        }
        let mut terms = Vec::new();
        let mut height = 0;
        while !self.is_symbol(")") {
            let term = self.argument()?;
            height = height.max(term.height);
            terms.push(self.term_of(term)?);
            if !self.takes(",") {
                break;
            }
        }
        if !self.is_symbol(")") {
            return Err(self.unexpected("`,` or `)`"));
        }
        let end = self.take().end;
        let count = terms.len();
        if let Some(said) = self.language.said(&name, terms.clone()) {
            let formula = self.counted(said, &name, count, start, end)?;
            return self.made(Kind::Formula(formula), 1 + height, start);
        }
        match self.language.computed(&name, terms) {
            Some(term) => {
                let term = self.counted(term, &name, count, start, end)?;
                self.made(Kind::Term(term), 1 + height, start)
            }
            None => Err(self.unknown(&name, start, name_end)),
        }
    }

    /// A term that something is about; there, `true` is a value.
    fn argument(&mut self) -> Read<Parsed<E, V>> {
        let at = self.peek();
        let behind = self.tokens[(self.at + 1).min(self.tokens.len() - 1)].token;
        if at.token == Token::Word
            && matches!(self.said(at), "true" | "false")
            && matches!(behind, Token::Symbol("," | ")" | "."))
        {
            self.take();
            return self.literal(at.start, at.end);
        }
        self.expression(6)
    }

    /// The name of a variable.
    fn variable(&mut self) -> Read<Arc<str>> {
        let at = self.peek();
        let name = match at.token {
            Token::Word if !WORDS.contains(&self.said(at)) => self.said(at).to_string(),
            Token::Name => self.said(at).trim_matches('`').replace("``", "`"),
            _ => return Err(self.unexpected("the name of a variable")),
        };
        self.take();
        Ok(name.into())
    }

    fn quantified(&mut self, at: Placed, all: bool) -> Read<Parsed<E, V>> {
        let mut names = vec![self.variable()?];
        while self.takes(",") {
            names.push(self.variable()?);
        }
        if !self.is_symbol(".") {
            return Err(self.unexpected("`.` and what is said of the variable"));
        }
        self.take();
        let of = self.expression(0)?;
        let height = names.len() + of.height;
        if height > DEPTH_MAX {
            return Err(self.too_deep(at.start, of.end));
        }
        let of = self.formula_of(of)?;
        let quantify = |of, name: Arc<str>| if all { forall(&name, of) } else { exists(&name, of) };
        self.made(Kind::Formula(names.into_iter().rev().fold(of, quantify)), height, at.start)
    }

    /// An aggregation, from its operator on.
    fn aggregated(&mut self, result: &str, start: usize) -> Read<Parsed<E, V>> {
        let at = self.take();
        let word = self.said(at);
        let Some(operator) = Aggregate::ALL.into_iter().find(|operator| operator.to_string() == word) else {
            return Err(self.error(at.start, at.end, "expected count, sum, min, max or average"));
        };
        let term = self.argument()?;
        let term = self.term_of(term)?;
        let mut by = Vec::new();
        if self.peek().token == Token::Word && self.said(self.peek()) == "by" {
            self.take();
            by.push(self.variable()?);
            while self.takes(",") {
                by.push(self.variable()?);
            }
        }
        self.expect(".")?;
        let of = self.expression(0)?;
        let height = 1 + of.height;
        let of = self.formula_of(of)?;
        let formula = checked(result.into(), operator, term, by, of);
        let formula = formula.map_err(|message| self.error(start, at.end, message))?;
        self.made(Kind::Formula(formula), height, start)
    }

    /// A bound, if there is one.
    fn window(&mut self) -> Read<Window> {
        if !self.takes("[") {
            return Ok(Window::ALL);
        }
        let first = self.peek();
        let from = self.time()?;
        self.expect(",")?;
        if self.takes("]") || self.takes(")") {
            return Ok(Window { from, to: None });
        }
        let to = self.time()?;
        let end = self.peek().end;
        let to = match self.takes(")") {
            true => to.checked_sub(1),
            false => {
                if !self.is_symbol("]") {
                    return Err(self.unexpected("`]` or `)`"));
                }
                self.take();
                Some(to)
            }
        };
        match to {
            Some(to) if from <= to => Ok(Window { from, to: Some(to) }),
            _ => Err(self.error(first.start, end, "nothing lies between these")),
        }
    }

    fn time(&mut self) -> Read<u64> {
        let at = self.peek();
        let said = self.said(at);
        let digits = said.find(|c: char| !c.is_ascii_digit()).unwrap_or(said.len());
        let (number, unit) = said.split_at(digits);
        if at.token != Token::Number {
            return Err(self.unexpected("a time such as 500ms"));
        }
        let factor: u64 = match unit {
            "ns" => 1,
            "us" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "min" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            "d" => 86_400_000_000_000,
            "" if number.bytes().all(|digit| digit == b'0') => 1,
            "" => {
                return Err(self.error(
                    at.start,
                    at.end,
                    "a time needs its unit: ns, us, ms, s, min, h or d",
                ));
            }
            _ => {
                let message = format!("`{unit}` is no unit of time: use ns, us, ms, s, min, h or d");
                return Err(self.error(at.start, at.end, message));
            }
        };
        let time = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
        let time = time.ok_or_else(|| self.error(at.start, at.end, "this time is too long"))?;
        self.take();
        Ok(time)
    }
}

fn comparison<E, V>(operator: &str, one: Term<V>, two: Term<V>) -> Formula<E, V> {
    match operator {
        "=" => equal(one, two),
        "!=" => !equal(one, two),
        "<" => less(one, two),
        "<=" => at_most(one, two),
        ">" => less(two, one),
        _ => at_most(two, one),
    }
}

fn arithmetic(operator: &str) -> Operator {
    match operator {
        "+" => Operator::Add,
        "-" => Operator::Subtract,
        "*" => Operator::Multiply,
        "/" => Operator::Divide,
        _ => Operator::Remainder,
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
