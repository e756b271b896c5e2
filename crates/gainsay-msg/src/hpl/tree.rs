//! Properties as they are written.

use crate::diagnostic::Span;

/// A property: what must hold of the messages of a system.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Property {
    /// The lines of comment before it, `# key: value` among them.
    pub comments: Vec<Comment>,
    /// When it must hold.
    pub scope: Scope,
    /// What must hold then.
    pub pattern: Pattern,
    /// Where it is written, without its comments.
    pub span: Span,
}

/// A line of comment.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Comment {
    /// Its key, if it is one of `# key: value`.
    pub key: Option<String>,
    /// The value, or the whole text.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

/// When a property must hold.
#[derive(Debug, Clone)]
pub enum Scope {
    /// Always.
    Globally,
    /// From the first such message on.
    After(Event),
    /// Up to the first such message.
    Until(Event),
    /// From such a message up to the next of another kind, again and again.
    AfterUntil(Event, Event),
}

/// What must hold in a scope.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Pattern {
    /// Which pattern it is.
    pub kind: PatternKind,
    /// The first event, as written.
    pub first: Event,
    /// The second event, as written, of the patterns that have two.
    pub second: Option<Event>,
    /// The bound of time.
    pub within: Option<Bound>,
}

/// The patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PatternKind {
    /// `no b`
    No,
    /// `some b`
    Some,
    /// `a causes b`
    Causes,
    /// `a forbids b`
    Forbids,
    /// `b requires a`
    Requires,
}

impl PatternKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            PatternKind::No => "no",
            PatternKind::Some => "some",
            PatternKind::Causes => "causes",
            PatternKind::Forbids => "forbids",
            PatternKind::Requires => "requires",
        }
    }

    /// Whether it has two events.
    pub fn is_binary(self) -> bool {
        !matches!(self, PatternKind::No | PatternKind::Some)
    }
}

/// A bound of time: less than this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// In nanoseconds.
    pub nanoseconds: u64,
    /// The unit in which it is written.
    pub unit: Unit,
    /// Where it is written.
    pub span: Span,
}

/// Units of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// `ms`
    Milliseconds,
    /// `s`
    Seconds,
}

/// A message of one of several kinds.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Event {
    /// The kinds; of those that match, the first counts.
    pub alternatives: Vec<Simple>,
    /// Where it is written.
    pub span: Span,
}

/// A message on a channel, with a condition.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Simple {
    /// The channel.
    pub channel: Name,
    /// How others call the message.
    pub alias: Option<Name>,
    /// What must hold of it.
    pub predicate: Option<Expr>,
    /// Where it is written.
    pub span: Span,
}

/// A name, and where it is written.
#[derive(Debug, Clone)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

/// An expression.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Expr {
    /// What it says.
    pub kind: ExprKind,
    /// Where it is written.
    pub span: Span,
}

/// What an expression says.
#[derive(Debug, Clone)]
pub enum ExprKind {
    /// `True`, `False`
    Bool(bool),
    /// A whole number.
    Int(i128),
    /// Any other number.
    Float(f64),
    /// Text in quotes.
    Text(String),
    /// `PI`, `INF`, `NAN`, `E`
    Constant(Constant),
    /// A field of the message, of another one, or a variable.
    Field(Root, Vec<Step>),
    /// `not x`
    Not(Box<Expr>),
    /// `-x`
    Minus(Box<Expr>),
    /// An operator with its operands.
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// A function.
    Call(Function, Vec<Expr>),
    /// `{a, b}`
    Set(Vec<Expr>),
    /// `[a to b]`
    Range {
        /// Its ends.
        ends: Box<(Expr, Expr)>,
        /// Whether the first end does not count.
        without_first: bool,
        /// Whether the last end does not count.
        without_last: bool,
    },
    /// `forall v in D: x`, `exists v in D: x`
    Quantified {
        /// Whether it is `forall`.
        all: bool,
        /// The variable.
        variable: Name,
        /// Over what it ranges.
        domain: Box<Expr>,
        /// What is said of each.
        body: Box<Expr>,
    },
}

impl Expr {
    /// Calls something with it and with all that it is made of.
    pub(crate) fn each<'e>(&'e self, see: &mut dyn FnMut(&'e Expr)) {
        see(self);
        match &self.kind {
            ExprKind::Field(_, steps) => {
                for step in steps {
                    if let Step::Index(index) = step {
                        index.each(see);
                    }
                }
            }
            ExprKind::Not(of) | ExprKind::Minus(of) => of.each(see),
            ExprKind::Binary(_, one, two) => {
                one.each(see);
                two.each(see);
            }
            ExprKind::Call(_, items) | ExprKind::Set(items) => items.iter().for_each(|item| item.each(see)),
            ExprKind::Range { ends, .. } => {
                ends.0.each(see);
                ends.1.each(see);
            }
            ExprKind::Quantified { domain, body, .. } => {
                domain.each(see);
                body.each(see);
            }
            _ => {}
        }
    }
}

/// Where a path of fields begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Root {
    /// At the message itself.
    Own,
    /// At the message or variable of this name: `@name`.
    Named(String),
    /// At the message of this number: `@1`.
    Numbered(usize),
    /// At a variable: `$name`.
    Variable(String),
}

/// A step of a path of fields.
#[derive(Debug, Clone)]
pub enum Step {
    /// To a field.
    Field(Name),
    /// To an element.
    Index(Box<Expr>),
}

/// Numbers with names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constant {
    /// π
    Pi,
    /// ∞
    Inf,
    /// Not a number.
    Nan,
    /// Euler's number.
    E,
}

impl Constant {
    /// All of them by name.
    pub(crate) const ALL: [(&'static str, Constant); 4] =
        [("PI", Constant::Pi), ("INF", Constant::Inf), ("NAN", Constant::Nan), ("E", Constant::E)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Constant::ALL.iter().find(|(_, constant)| *constant == self).map_or("", |(name, _)| name)
    }

    /// Its value.
    pub fn value(self) -> f64 {
        match self {
            Constant::Pi => std::f64::consts::PI,
            Constant::Inf => f64::INFINITY,
            Constant::Nan => f64::NAN,
            Constant::E => std::f64::consts::E,
        }
    }
}

/// Operators with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `implies`
    Implies,
    /// `iff`
    Iff,
    /// `or`
    Or,
    /// `and`
    And,
    /// A relation.
    Relation(Relation),
    /// Arithmetic.
    Arithmetic(Arithmetic),
}

/// Relations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `in`
    In,
}

impl Relation {
    /// All of them but `in`.
    pub const COMPARISONS: [Relation; 6] = [
        Relation::Equal,
        Relation::Unequal,
        Relation::Less,
        Relation::AtMost,
        Relation::Greater,
        Relation::AtLeast,
    ];

    /// How it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Relation::Equal => "=",
            Relation::Unequal => "!=",
            Relation::Less => "<",
            Relation::AtMost => "<=",
            Relation::Greater => ">",
            Relation::AtLeast => ">=",
            Relation::In => "in",
        }
    }
}

/// Arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `**`
    Power,
}

impl Arithmetic {
    /// How it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Arithmetic::Add => "+",
            Arithmetic::Subtract => "-",
            Arithmetic::Multiply => "*",
            Arithmetic::Divide => "/",
            Arithmetic::Power => "**",
        }
    }
}

impl Operator {
    /// How it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Operator::Implies => "implies",
            Operator::Iff => "iff",
            Operator::Or => "or",
            Operator::And => "and",
            Operator::Relation(relation) => relation.sign(),
            Operator::Arithmetic(arithmetic) => arithmetic.sign(),
        }
    }

    /// How tightly it binds.
    pub(crate) fn level(self) -> u8 {
        match self {
            Operator::Implies | Operator::Iff => 1,
            Operator::Or => 2,
            Operator::And => 3,
            // (`not` and quantifiers are 4.)
            Operator::Relation(_) => 5,
            Operator::Arithmetic(Arithmetic::Add | Arithmetic::Subtract) => 6,
            Operator::Arithmetic(Arithmetic::Multiply | Arithmetic::Divide) => 7,
            Operator::Arithmetic(Arithmetic::Power) => 8,
        }
    }
}

macro_rules! functions {
    ($($name:ident $word:literal $least:literal ..= $most:literal,)*) => {
        /// Functions.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "their names say what they do; the book has a table")]
        pub enum Function { $($name,)* }

        impl Function {
            /// All of them.
            pub const ALL: &'static [Function] = &[$(Function::$name,)*];

            /// The word for it.
            pub fn word(self) -> &'static str {
                match self { $(Function::$name => $word,)* }
            }

            /// How many arguments it takes.
            pub fn arguments(self) -> std::ops::RangeInclusive<usize> {
                match self { $(Function::$name => $least..=$most,)* }
            }
        }
    };
}

functions! {
    Abs "abs" 1..=1, Bool "bool" 1..=1, Int "int" 1..=1, Float "float" 1..=1, Str "str" 1..=1,
    Len "len" 1..=1, Sum "sum" 1..=64, Prod "prod" 1..=64, Min "min" 1..=64, Max "max" 1..=64,
    Sqrt "sqrt" 1..=1, Ceil "ceil" 1..=1, Floor "floor" 1..=1, Log "log" 1..=2,
    Sin "sin" 1..=1, Cos "cos" 1..=1, Tan "tan" 1..=1, Asin "asin" 1..=1, Acos "acos" 1..=1, Atan "atan" 1..=1,
    Atan2 "atan2" 2..=2, Deg "deg" 1..=1, Rad "rad" 1..=1, Gcd "gcd" 1..=64,
    Roll "roll" 1..=4, Pitch "pitch" 1..=4, Yaw "yaw" 1..=4,
}

impl Property {
    /// The value of a line `# key: value`.
    pub fn metadata(&self, key: &str) -> Option<&str> {
        let line = self.comments.iter().find(|comment| comment.key.as_deref() == Some(key));
        line.map(|comment| comment.text.as_str())
    }

    /// What it is called, if it says so.
    pub fn id(&self) -> Option<&str> {
        self.metadata("id").filter(|id| !id.is_empty())
    }

    /// All its events, in the order in which they are numbered; the terminator is last.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        let (activator, terminator) = match &self.scope {
            Scope::Globally => (None, None),
            Scope::After(activator) => (Some(activator), None),
            Scope::Until(terminator) => (None, Some(terminator)),
            Scope::AfterUntil(activator, terminator) => (Some(activator), Some(terminator)),
        };
        activator.into_iter().chain([&self.pattern.first]).chain(&self.pattern.second).chain(terminator)
    }
}
