//! From text to properties. What cannot be read is told, and left out: the rest is read all the same.

use super::hints::{Met, hint};
use super::lex::{Lexeme, Token, is_word, lex};
use super::tree::{
    Arithmetic, Bound, Comment, Constant, Event, Expr, ExprKind, Function, Name, Operator, Pattern,
    PatternKind, Property, Relation, Root, Scope, Simple, Step, Unit,
};
use crate::diagnostic::{Diagnostic, Span};
use crate::names::nearest;
use crate::time;

/// Expressions are nested no deeper, and no longer in a chain.
const DEPTH_MAX: usize = 100;
const CHAIN_MAX: usize = 400;

/// The height of a condition's syntax tree at most. Chains in brackets are as high as all of them together, and whatever goes through a condition takes
/// stack for each operator.
const HEIGHT_MAX: usize = 1000;
/// So many errors are enough to go on with.
const ERRORS_MAX: usize = 50;

/// Words that begin a property.
const BEGINNINGS: [&str; 3] = ["globally", "after", "until"];

pub(crate) const KEYWORDS: [&str; 25] = [
    "globally", "after", "until", "no", "some", "causes", "requires", "forbids", "within", "as", "or", "and",
    "not", "implies", "iff", "in", "forall", "exists", "to", "True", "False", "PI", "INF", "NAN", "E",
];

/// What a text says.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct File {
    /// Its properties, in order.
    pub properties: Vec<Property>,
    /// The comments after the last one.
    pub trailing: Vec<Comment>,
    /// What is wrong with it.
    pub troubles: Vec<Diagnostic>,
}

/// Reads a text. What cannot be read is told, and left out.
///
/// ```
/// let file = gainsay_msg::hpl::parse("globally: no /laser {dist < 0}\nglobally: some {x}\nuntil /a: no /b");
/// assert_eq!(file.properties.len(), 2);
/// assert_eq!(file.troubles[0].message, "expected a channel, found `{`");
/// ```
pub fn parse(text: &str) -> File {
    let mut parser = Parser::new(text);
    let mut file = parser.file();
    file.troubles = parser.troubles;
    file.troubles.sort_by_key(|trouble| trouble.span.start);
    file.troubles.truncate(ERRORS_MAX);
    file
}

/// A condition alone, as it stands in the braces of an event.
///
/// # Errors
/// What is wrong with it.
pub fn parse_condition(text: &str) -> Result<Expr, Vec<Diagnostic>> {
    let mut parser = Parser::new(text);
    let parsed = parser.expression(0).and_then(|expr| parser.end().map(|()| expr));
    match parsed {
        Ok(expr) if parser.troubles.is_empty() => Ok(expr),
        Ok(_) => Err(parser.troubles),
        Err(trouble) => Err(parser.troubles.into_iter().chain([trouble]).collect()),
    }
}

/// An event alone.
///
/// # Errors
/// What is wrong with it.
pub fn parse_event(text: &str) -> Result<Event, Vec<Diagnostic>> {
    let mut parser = Parser::new(text);
    let parsed = parser.event().and_then(|event| parser.end().map(|()| event));
    match parsed {
        Ok(event) if parser.troubles.is_empty() => Ok(event),
        Ok(_) => Err(parser.troubles),
        Err(trouble) => Err(parser.troubles.into_iter().chain([trouble]).collect()),
    }
}

type Parsed<T> = Result<T, Diagnostic>;

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) lexemes: Vec<Lexeme>,
    pub(super) at: usize,
    depth: usize,
    /// The height of the expression that was read last.
    height: usize,
    pub(super) troubles: Vec<Diagnostic>,
    /// Which part of a property is being read, so that comments inside of it are told from those before the next.
    part: Part,
    inside: Vec<Comment>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    None,
    Scope,
    Pattern,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Parser<'a> {
        let (lexemes, troubles) = lex(text);
        Parser { text, lexemes, at: 0, depth: 0, height: 0, troubles, part: Part::None, inside: Vec::new() }
    }

    pub(super) fn token(&self) -> &Token {
        &self.lexemes[self.at].token
    }

    pub(super) fn span(&self) -> Span {
        self.lexemes[self.at].span.clone()
    }

    fn word(&self) -> Option<&'a str> {
        (*self.token() == Token::Word).then(|| &self.text[self.span()])
    }

    /// Where the last token ended.
    fn last_end(&self) -> usize {
        let before = self.lexemes[..self.at].iter().rev().find(|lexeme| lexeme.token != Token::Comment);
        before.map_or(0, |lexeme| lexeme.span.end)
    }

    pub(super) fn advance(&mut self) {
        // (The end stays.)
        self.at = (self.at + 1).min(self.lexemes.len() - 1);
        if *self.token() != Token::Comment || self.part == Part::None {
            return;
        }
        let next = self.lexemes[self.at..].iter().position(|lexeme| lexeme.token != Token::Comment);
        let next = self.at + next.unwrap_or(0);
        let begins = match &self.lexemes[next] {
            Lexeme { token: Token::End, .. } => true,
            Lexeme { token: Token::Word, span } => BEGINNINGS.contains(&&self.text[span.clone()]),
            _ => false,
        };
        if self.part == Part::Scope || !begins {
            for at in self.at..next {
                self.inside.push(self.comment(self.lexemes[at].span.clone()));
            }
            self.at = next;
        }
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.token(), Token::Sign(here) if *here == sign)
    }

    pub(super) fn take_sign(&mut self, sign: &str) -> bool {
        let is_here = self.is_sign(sign);
        if is_here {
            self.advance();
        }
        is_here
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let is_here = self.word() == Some(word);
        if is_here {
            self.advance();
        }
        is_here
    }

    pub(super) fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.token() {
            Token::End => "the end".to_string(),
            Token::Comment => "a comment".to_string(),
            _ => {
                let shown: String = self.text[self.span()].chars().take(40).collect();
                format!("`{shown}`")
            }
        };
        Diagnostic::error(self.span(), format!("expected {what}, found {found}"))
            .label(format!("expected {what}"))
    }

    pub(super) fn expect_sign(&mut self, sign: &str, help: &str) -> Parsed<()> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`")).help(help)) }
    }

    /// The same, with the way out where it is known by what was found, or else another.
    fn expected_or_hint(&self, what: &str, met: Met, help: impl Into<String>) -> Diagnostic {
        let known = hint(met, &self.text[self.span()]);
        self.expected(what).help(known.map_or_else(|| help.into(), str::to_string))
    }

    fn end(&self) -> Parsed<()> {
        if *self.token() == Token::End { Ok(()) } else { Err(self.expected("the end")) }
    }

    // Properties.

    fn file(&mut self) -> File {
        let mut file = File::default();
        loop {
            let mut comments = self.comments();
            // What stands on the last line of a property belongs to it.
            if let Some(last) = file.properties.last_mut() {
                let same_line =
                    |comment: &Comment| !self.text[last.span.end..comment.span.start].contains('\n');
                if comments.first().is_some_and(same_line) {
                    last.comments.push(comments.remove(0));
                }
            }
            if *self.token() == Token::End {
                file.trailing = comments;
                return file;
            }
            let start = self.at;
            match self.property(comments) {
                Ok(property) => file.properties.push(property),
                Err(trouble) => {
                    self.troubles.push(trouble);
                    self.part = Part::None;
                    self.recover(start);
                }
            }
        }
    }

    pub(super) fn comments(&mut self) -> Vec<Comment> {
        let mut comments = Vec::new();
        while *self.token() == Token::Comment {
            comments.push(self.comment(self.span()));
            self.advance();
        }
        comments
    }

    fn comment(&self, span: Span) -> Comment {
        let text = self.text[span.clone()].trim_start_matches('#').trim();
        let pair = text.split_once(':').map(|(key, value)| (key.trim(), value.trim()));
        let is_key = |key: &str| !key.is_empty() && key.chars().all(|c| is_word(c) || c == '-');
        // (`http://…` is no key with a value.)
        let is_pair = |(key, value): &(&str, &str)| is_key(key) && !value.starts_with("//");
        match pair.filter(is_pair) {
            Some((key, value)) => Comment { key: Some(key.into()), text: value.into(), span },
            None => Comment { key: None, text: text.into(), span },
        }
    }

    /// Goes on where the next property seems to begin: at a word that begins one, or a comment, at the beginning of a line.
    fn recover(&mut self, start: usize) {
        self.at = self.at.max(start);
        loop {
            if self.at > start || *self.token() == Token::End {
                let before = &self.text[..self.span().start];
                let begins_line = before.trim_end_matches([' ', '\t']).ends_with('\n');
                let begins = self.word() == Some("globally")
                    || begins_line
                        && (self.word().is_some_and(|word| BEGINNINGS.contains(&word))
                            || *self.token() == Token::Comment);
                if begins || *self.token() == Token::End {
                    return;
                }
            }
            self.advance();
        }
    }

    fn property(&mut self, mut comments: Vec<Comment>) -> Parsed<Property> {
        let start = self.span().start;
        self.inside.clear();
        self.part = Part::Scope;
        let scope = self.scope()?;
        if !self.take_sign(":") {
            let help = "a scope ends with a colon: `globally: no /channel`";
            let trouble = self.expected("`:`");
            // (After `globally`, a pattern is what was meant.)
            return Err(match self.word() {
                Some("within") => self.expected_or_hint("`:`", Met::Outside, help),
                _ => trouble.help(help),
            });
        }
        self.part = Part::Pattern;
        let pattern = self.pattern()?;
        self.part = Part::None;
        comments.append(&mut self.inside);
        self.check_metadata(&comments);
        Ok(Property { comments, scope, pattern, span: start..self.last_end() })
    }

    /// What we read ourselves must make sense.
    fn check_metadata(&mut self, comments: &[Comment]) {
        let mut is_named = false;
        for comment in comments {
            match comment.key.as_deref() {
                Some(key @ ("assume" | "allow_vacuous"))
                    if !matches!(comment.text.trim_matches('"'), "true" | "false") =>
                {
                    let trouble =
                        Diagnostic::error(comment.span.clone(), format!("`{}` is no answer", comment.text));
                    self.troubles.push(trouble.help(format!("`# {key}: true` or `# {key}: false`")));
                }
                Some("id") if is_named => {
                    let trouble =
                        Diagnostic::warning(comment.span.clone(), "this property has an id already");
                    self.troubles.push(trouble.help("the first one counts"));
                }
                Some("id") => is_named = true,
                _ => {}
            }
        }
    }

    fn scope(&mut self) -> Parsed<Scope> {
        if self.take_word("globally") {
            return Ok(Scope::Globally);
        }
        if self.take_word("until") {
            return Ok(Scope::Until(self.event()?));
        }
        if self.take_word("after") {
            let activator = self.event()?;
            return Ok(if self.take_word("until") {
                Scope::AfterUntil(activator, self.event()?)
            } else {
                Scope::After(activator)
            });
        }
        let help = "a property begins with its scope: `globally:`, `after EVENT:`, `until EVENT:` or `after EVENT until EVENT:`";
        // What stands on the line of a property was to belong to it.
        let before = self.last_end();
        if before > 0 && !self.text[before..self.span().start].contains('\n') {
            let help = "a property ends with its pattern, and perhaps `within 500 ms`; conditions stand in braces: `/laser {dist < 0}`";
            return Err(self.expected_or_hint("the end of the property", Met::After, help));
        }
        let near = self.word().and_then(|word| nearest(word, BEGINNINGS));
        let help = near.map_or_else(|| help.to_string(), |near| format!("is it `{near}`?"));
        Err(match self.word() {
            Some("between" | "before") => self.expected_or_hint("a scope", Met::Outside, help),
            Some("always") => self.expected("a scope").help("always is `globally:`"),
            _ => self.expected("a scope").help(help),
        })
    }

    fn pattern(&mut self) -> Parsed<Pattern> {
        let unary = match self.word() {
            Some("no") => Some(PatternKind::No),
            Some("some") => Some(PatternKind::Some),
            _ => None,
        };
        let (kind, first, second) = if let Some(kind) = unary {
            self.advance();
            (kind, self.event()?, None)
        } else {
            let first = self.event()?;
            let kind = match self.word() {
                Some("causes") => PatternKind::Causes,
                Some("forbids") => PatternKind::Forbids,
                Some("requires") => PatternKind::Requires,
                _ => {
                    let help = "say what becomes of the event, or begin the pattern with `no` or `some`";
                    let what = "`causes`, `forbids` or `requires`";
                    // (`never /error`: what was read as a channel is a word of another language.)
                    let foreign = hint(Met::Outside, &self.text[first.span.clone()]);
                    return Err(match foreign {
                        Some(foreign) => self.expected(what).help(foreign),
                        None => self.expected_or_hint(what, Met::Outside, help),
                    });
                }
            };
            self.advance();
            (kind, first, Some(self.event()?))
        };
        let within = if self.take_word("within") { Some(self.bound()?) } else { None };
        Ok(Pattern { kind, first, second, within })
    }

    fn bound(&mut self) -> Parsed<Bound> {
        let start = self.span();
        if *self.token() != Token::Number {
            return Err(self.expected("a time").help("`within 500 ms` or `within 1.5 s`"));
        }
        let number = &self.text[start.clone()];
        self.advance();
        let (scale, unit) = match self.word() {
            Some("ms") => (1_000_000, Unit::Milliseconds),
            Some("s") => (1_000_000_000, Unit::Seconds),
            _ => return Err(self.expected("a unit of time").help("`ms` or `s`")),
        };
        self.advance();
        let span = start.start..self.last_end();
        let nanoseconds = time::scaled_up(number, scale)
            .map_err(|why| Diagnostic::error(span.clone(), format!("`{number}` is no time here: {why}")))?;
        if nanoseconds == 0 {
            return Err(Diagnostic::error(span, "nothing happens within no time")
                .label("this is 0")
                .help("`within T` means less than T away: give it a time above 0, or leave it out"));
        }
        Ok(Bound { nanoseconds, unit, span })
    }

    // Events.

    pub(super) fn event(&mut self) -> Parsed<Event> {
        let start = self.span().start;
        if !self.take_sign("(") {
            let simple = self.simple()?;
            let span = simple.span.clone();
            if self.word() == Some("or") {
                let help = "alternatives stand in brackets: `(/a {x > 0} or /b)`";
                return Err(self.expected("the end of the event").help(help));
            }
            return Ok(Event { alternatives: vec![simple], span });
        }
        let mut alternatives = vec![self.simple()?];
        while self.take_word("or") {
            if alternatives.len() >= CHAIN_MAX {
                return Err(Diagnostic::error(self.span(), format!("more than {CHAIN_MAX} alternatives")));
            }
            alternatives.push(self.simple()?);
        }
        self.expect_sign(")", "alternatives are written `(/a {x > 0} or /b)`")?;
        Ok(Event { alternatives, span: start..self.last_end() })
    }

    fn simple(&mut self) -> Parsed<Simple> {
        let channel = self.channel()?;
        let start = channel.span.start;
        let alias = if self.take_word("as") { Some(self.name("a name for the message")?) } else { None };
        let mut predicate = None;
        let open = self.span();
        if self.take_sign("{") {
            if self.is_sign("}") {
                let help = format!("`{}` alone is any message on that channel", channel.text);
                return Err(self.expected("a condition").help(help));
            }
            predicate = Some(self.expression(0)?);
            if !self.take_sign("}") {
                let mut trouble = self.expected("`}` or an operator");
                if let Some(help) = hint(Met::Inside, &self.text[self.span()]) {
                    trouble = trouble.help(help);
                } else if *self.token() == Token::End
                    || !self.text[open.start..self.span().start].contains('\n')
                {
                    trouble = trouble.help("a condition ends with `}`");
                }
                return Err(trouble);
            }
        }
        Ok(Simple { channel, alias, predicate, span: start..self.last_end() })
    }

    /// A name with `/`, `~`, `-` in it, in one piece.
    fn channel(&mut self) -> Parsed<Name> {
        let begins = match self.token() {
            Token::Sign("/" | "~") => true,
            Token::Word => !KEYWORDS.contains(&&self.text[self.span()]),
            _ => false,
        };
        let start = self.span().start;
        let is_part = |c: char| is_word(c) || matches!(c, '/' | '~' | '-');
        let length = self.text[start..].find(|c| !is_part(c)).unwrap_or(self.text.len() - start);
        let text = &self.text[start..start + length];
        if !begins || !text.contains(is_word) {
            let help = "channels are written `/laser`, `robot/laser` or `~laser`";
            return Err(self.expected_or_hint("a channel", Met::Outside, help));
        }
        while self.span().start < start + length && *self.token() != Token::End {
            self.advance();
        }
        Ok(Name { text: text.to_string(), span: start..start + length })
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        match self.word() {
            Some(word) if !KEYWORDS.contains(&word) && !word.starts_with(|c: char| c.is_ascii_digit()) => {
                let name = Name { text: word.to_string(), span: self.span() };
                self.advance();
                Ok(name)
            }
            Some(word) if KEYWORDS.contains(&word) => {
                Err(self.expected(what).help(format!("`{word}` is a word of the language")))
            }
            _ => Err(self.expected(what)),
        }
    }

    // Expressions.

    fn operator(&self) -> Option<Operator> {
        Some(match self.token() {
            Token::Word => match self.word()? {
                "implies" => Operator::Implies,
                "iff" => Operator::Iff,
                "or" => Operator::Or,
                "and" => Operator::And,
                "in" => Operator::Relation(Relation::In),
                _ => return None,
            },
            Token::Sign(sign) => match *sign {
                "&&" => Operator::And,
                "||" => Operator::Or,
                "->" => Operator::Implies,
                "=" | "==" => Operator::Relation(Relation::Equal),
                "!=" | "<>" => Operator::Relation(Relation::Unequal),
                "<" => Operator::Relation(Relation::Less),
                "<=" | "=<" => Operator::Relation(Relation::AtMost),
                ">" => Operator::Relation(Relation::Greater),
                ">=" | "=>" => Operator::Relation(Relation::AtLeast),
                "+" => Operator::Arithmetic(Arithmetic::Add),
                "-" => Operator::Arithmetic(Arithmetic::Subtract),
                "*" => Operator::Arithmetic(Arithmetic::Multiply),
                "/" => Operator::Arithmetic(Arithmetic::Divide),
                "**" => Operator::Arithmetic(Arithmetic::Power),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// An expression whose operators bind at least so tightly.
    pub(super) fn expression(&mut self, least: u8) -> Parsed<Expr> {
        self.depth += 1;
        let parsed = if self.depth > DEPTH_MAX {
            Err(Diagnostic::error(self.span(), format!("nested more than {DEPTH_MAX} deep")))
        } else {
            self.operators(least)
        };
        self.depth -= 1;
        parsed
    }

    fn operators(&mut self, least: u8) -> Parsed<Expr> {
        let mut left = self.prefix(least)?;
        let mut height = self.height;
        let mut chain = 0;
        let mut relation: Option<Span> = None;
        while let Some(operator) = self.operator().filter(|operator| operator.level() >= least) {
            let span = self.span();
            if let (Operator::Relation(_), Some(_)) = (operator, &relation) {
                let help = match &left.kind {
                    ExprKind::Binary(_, _, middle) => {
                        format!("write `{left} and {middle} {} …`", &self.text[span.clone()])
                    }
                    _ => "write `0 <= x and x < 40`".into(),
                };
                return Err(Diagnostic::error(span, "relations do not chain")
                    .label("a second relation")
                    .help(help));
            }
            chain += 1;
            if chain > CHAIN_MAX {
                return Err(Diagnostic::error(span, format!("more than {CHAIN_MAX} operators in a row")));
            }
            self.advance();
            let right = self.expression(operator.level() + 1)?;
            height = 1 + height.max(self.height);
            if height > HEIGHT_MAX {
                let message = format!("more than {HEIGHT_MAX} operators above one another");
                return Err(Diagnostic::error(span, message));
            }
            let span_both = left.span.start..right.span.end;
            left =
                Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), span: span_both };
            relation = matches!(operator, Operator::Relation(_)).then_some(span);
        }
        self.height = height;
        Ok(left)
    }

    /// `not`, quantifiers, minus, and what has no operator at all.
    fn prefix(&mut self, least: u8) -> Parsed<Expr> {
        let start = self.span().start;
        match self.word() {
            Some("not") => {
                if least > 4 {
                    return Err(self.expected("a value").help("put the condition in brackets: `(not x)`"));
                }
                self.advance();
                let of = self.expression(4)?;
                let span = start..of.span.end;
                return Ok(Expr { kind: ExprKind::Not(Box::new(of)), span });
            }
            Some(word @ ("forall" | "exists")) => {
                if least > 4 {
                    return Err(self.expected("a value").help("put the quantifier in brackets"));
                }
                self.advance();
                return self.quantified(word == "forall", start);
            }
            _ => {}
        }
        if self.take_sign("!") {
            let of = self.expression(4)?;
            let span = start..of.span.end;
            return Ok(Expr { kind: ExprKind::Not(Box::new(of)), span });
        }
        if self.take_sign("-") {
            let of = self.expression(9)?;
            let span = start..of.span.end;
            return Ok(Expr { kind: ExprKind::Minus(Box::new(of)), span });
        }
        self.height = 0;
        self.primary()
    }

    fn quantified(&mut self, all: bool, start: usize) -> Parsed<Expr> {
        let variable = self.name("a variable")?;
        if !self.take_word("in") {
            return Err(self.expected("`in`").help("`forall i in ranges: ranges[@i] > 0`"));
        }
        let domain = self.expression(6)?;
        self.expect_sign(":", "`forall i in ranges: ranges[@i] > 0`")?;
        let body = self.expression(4)?;
        let span = start..body.span.end;
        let kind = ExprKind::Quantified { all, variable, domain: Box::new(domain), body: Box::new(body) };
        Ok(Expr { kind, span })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let token = self.token().clone();
        let kind = match token {
            Token::Number => {
                self.advance();
                self.number(span.clone())?
            }
            Token::Text(said) => {
                self.advance();
                ExprKind::Text(said)
            }
            Token::Sign("(") => {
                self.advance();
                let inner = self.expression(0)?;
                let is_set = self.is_sign(",");
                self.expect_sign(
                    ")",
                    if is_set { "sets are written `{1, 2}`" } else { "a bracket is open" },
                )?;
                return Ok(Expr { span: span.start..self.last_end(), ..inner });
            }
            Token::Sign("{") => {
                self.advance();
                ExprKind::Set(self.list("}")?)
            }
            Token::Sign(sign @ ("[" | "![")) => {
                self.advance();
                return self.range(sign == "![", span.start);
            }
            Token::Sign("@") => {
                self.advance();
                let root = self.reference()?;
                ExprKind::Field(root, self.steps()?)
            }
            Token::Sign("$") => {
                self.advance();
                let name = self.name("a variable")?;
                ExprKind::Field(Root::Variable(name.text), self.steps()?)
            }
            Token::Word => self.named()?,
            Token::Sign("/") => {
                let help = "another message is spoken of by its name: `/ask as A …`, and then `@A.id`";
                return Err(self.expected("a value").help(help));
            }
            _ => return Err(self.expected("a value")),
        };
        Ok(Expr { kind, span: span.start..self.last_end() })
    }

    fn number(&self, span: Span) -> Parsed<ExprKind> {
        let text = &self.text[span.clone()];
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return text.parse().map(ExprKind::Int).map_err(|_| {
                Diagnostic::error(span, "this whole number is too large").help("write it as a float: `1e40`")
            });
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(ExprKind::Float(number)),
            Ok(_) => Err(Diagnostic::error(span, "this number is too large").help("infinity is `INF`")),
            Err(_) => Err(Diagnostic::error(span, format!("`{text}` is no number"))),
        }
    }

    fn reference(&mut self) -> Parsed<Root> {
        if *self.token() == Token::Number {
            let span = self.span();
            let number = self.text[span.clone()].parse();
            self.advance();
            return number
                .map(Root::Numbered)
                .map_err(|_| Diagnostic::error(span, "there is no message of that number"));
        }
        Ok(Root::Named(self.name("the name or number of a message")?.text))
    }

    /// A name: of a constant, a function, or a field.
    fn named(&mut self) -> Parsed<ExprKind> {
        let word = self.word().unwrap_or_default();
        let bool = match word {
            "True" => Some(true),
            "False" => Some(false),
            _ => None,
        };
        if let Some(value) = bool {
            self.advance();
            return Ok(ExprKind::Bool(value));
        }
        if let Some((_, constant)) = Constant::ALL.iter().find(|(name, _)| *name == word) {
            self.advance();
            return Ok(ExprKind::Constant(*constant));
        }
        let is_call = matches!(self.lexemes.get(self.at + 1), Some(Lexeme { token: Token::Sign("("), .. }));
        if is_call && !KEYWORDS.contains(&word) {
            return self.call();
        }
        let first = self.name("a value")?;
        let mut steps = vec![Step::Field(first)];
        steps.extend(self.steps()?);
        Ok(ExprKind::Field(Root::Own, steps))
    }

    fn call(&mut self) -> Parsed<ExprKind> {
        let span = self.span();
        let word = self.word().unwrap_or_default();
        let Some(function) = Function::ALL.iter().copied().find(|function| function.word() == word) else {
            let all: Vec<&str> = Function::ALL.iter().map(|function| function.word()).collect();
            return Err(Diagnostic::error(span, format!("there is no function `{word}`"))
                .label("not a function")
                .help(format!("functions are {}", all.join(", "))));
        };
        self.advance();
        self.advance();
        let arguments = self.list(")")?;
        if !function.arguments().contains(&arguments.len()) {
            let (least, most) =
                (function.arguments().start().to_owned(), function.arguments().end().to_owned());
            let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
            return Err(Diagnostic::error(
                span.start..self.last_end(),
                format!(
                    "`{word}` takes {wanted} argument{}, not {}",
                    if most == 1 { "" } else { "s" },
                    arguments.len()
                ),
            ));
        }
        Ok(ExprKind::Call(function, arguments))
    }

    /// Expressions up to a closing sign.
    fn list(&mut self, close: &'static str) -> Parsed<Vec<Expr>> {
        let mut items = Vec::new();
        while !self.is_sign(close) {
            items.push(self.expression(0)?);
            if items.len() > CHAIN_MAX * 10 {
                return Err(Diagnostic::error(self.span(), "too many of them"));
            }
            if !self.take_sign(",") {
                break;
            }
        }
        self.expect_sign(close, "separate several by commas")?;
        Ok(items)
    }

    fn range(&mut self, without_first: bool, start: usize) -> Parsed<Expr> {
        let first = self.expression(6)?;
        if !self.take_word("to") {
            return Err(self.expected("`to`").help("ranges are written `[0 to 10]`, sets `{0, 10}`"));
        }
        let last = self.expression(6)?;
        let without_last = self.is_sign("]!");
        if !self.take_sign("]!") {
            self.expect_sign("]", "ranges are written `[0 to 10]`, or `[0 to 10]!` without 10")?;
        }
        let kind = ExprKind::Range { ends: Box::new((first, last)), without_first, without_last };
        Ok(Expr { kind, span: start..self.last_end() })
    }

    fn steps(&mut self) -> Parsed<Vec<Step>> {
        let mut steps = Vec::new();
        loop {
            if self.take_sign(".") {
                // After a dot, every word is a field.
                if let Some(word) = self.word() {
                    steps.push(Step::Field(Name { text: word.to_string(), span: self.span() }));
                    self.advance();
                    continue;
                }
                return Err(self.expected("the name of a field"));
            }
            if !self.take_sign("[") {
                return Ok(steps);
            }
            let index = self.expression(6)?;
            self.expect_sign("]", "an index ends with `]`")?;
            steps.push(Step::Index(Box::new(index)));
            if steps.len() > CHAIN_MAX {
                return Err(Diagnostic::error(self.span(), "too many indices"));
            }
        }
    }
}
