//! Names and types in conditions.

use super::Known;
use super::reach::Beyond;
use crate::diagnostic::{Diagnostic, Span};
use crate::hpl::{Expr, ExprKind, Function, Name, Operator, Relation, Root, Step};
use crate::names::nearest;
use crate::term::{Access, AccessRoot, AccessStep, Argument, Domain, FieldName, Seen, Slot, Term};
use crate::types::Type;
use crate::value::Value;

pub(super) struct Resolver<'a> {
    pub(super) slot: Slot,
    /// How the message itself is called.
    pub(super) own: Option<&'a str>,
    pub(super) of: &'a Type,
    pub(super) known: &'a mut Vec<Known>,
    /// Names and types of variables, outermost first.
    pub(super) variables: Vec<(String, Type)>,
    /// What was meant where a variable is spoken of after its quantifier.
    pub(super) beyond: Vec<Beyond>,
    pub(super) troubles: &'a mut Vec<Diagnostic>,
}

/// A whole number of any size.
const WHOLE: Type = Type::Int { signed: true, bits: 127 };

/// Whether an expression refers to a message by this name.
pub(super) fn mentions(expr: &Expr, name: &str) -> bool {
    let mut mentions = false;
    expr.each(&mut |part| {
        mentions |= matches!(&part.kind, ExprKind::Field(Root::Named(other), _) if other == name);
    });
    mentions
}

/// Calls something with each field that is read as a truth value.
fn each_truth<'e>(expr: &'e Expr, see: &mut dyn FnMut(&'e Expr)) {
    match &expr.kind {
        ExprKind::Field(..) => see(expr),
        ExprKind::Not(of) => each_truth(of, see),
        ExprKind::Quantified { body, .. } => each_truth(body, see),
        ExprKind::Binary(Operator::Implies | Operator::Iff | Operator::Or | Operator::And, one, two) => {
            each_truth(one, see);
            each_truth(two, see);
        }
        _ => {}
    }
}

/// The fields that an operator reads as numbers.
fn as_numbers(expr: &Expr) -> Vec<&Expr> {
    let is_number = |expr: &Expr| matches!(expr.kind, ExprKind::Int(_) | ExprKind::Float(_));
    let ExprKind::Binary(operator, one, two) = &expr.kind else { return Vec::new() };
    let sides = [&**one, &**two];
    match operator {
        Operator::Relation(Relation::Equal | Relation::Unequal)
            if !sides.iter().any(|side| is_number(side)) =>
        {
            Vec::new()
        }
        Operator::Relation(Relation::In) => Vec::new(),
        Operator::Relation(_) | Operator::Arithmetic(_) => {
            sides.into_iter().filter(|side| matches!(side.kind, ExprKind::Field(..))).collect()
        }
        _ => Vec::new(),
    }
}

type Typed = (Term, Type);

impl Resolver<'_> {
    fn error(&mut self, span: &Span, message: impl Into<String>) -> Option<Typed> {
        self.troubles.push(Diagnostic::error(span.clone(), message));
        None
    }

    /// Where no types are known, a field that is a number at one place is no truth value at another.
    pub(super) fn check_truths(&mut self, predicate: &Expr) {
        let (mut truths, mut numbers) = (Vec::new(), Vec::new());
        each_truth(predicate, &mut |field| truths.push(field));
        predicate.each(&mut |part| numbers.extend(as_numbers(part)));
        for field in truths {
            let said = field.to_string();
            if *self.of == Type::Any && numbers.iter().any(|number| number.to_string() == said) {
                let message = format!("`{said}` is a number elsewhere, and a truth value here");
                let trouble = Diagnostic::warning(field.span.clone(), message);
                self.troubles.push(trouble.help("a number is never true: compare it, as in `x > 0`"));
            }
        }
    }

    /// Something that is so or not.
    pub(super) fn condition(&mut self, expr: &Expr) -> Option<Term> {
        let (term, of) = self.expression(expr)?;
        if !matches!(of, Type::Bool | Type::Any) {
            let trouble = Diagnostic::error(expr.span.clone(), "this is no condition")
                .label(format!("this is {}", shown(&of)))
                .help("compare it: `x > 0`");
            self.troubles.push(trouble);
            return None;
        }
        if matches!(&term, Term::Call(function, _) if gives_number(*function)) {
            let trouble =
                Diagnostic::warning(expr.span.clone(), "a number is no truth value: this is never so");
            self.troubles.push(trouble.label("this is a number").help("compare it: `x > 0`"));
        }
        if term.is_closed() && !matches!(term, Term::Constant(_)) {
            let said = if term.is_true(&[None; Slot::COUNT]) { "always" } else { "never" };
            self.troubles.push(Diagnostic::warning(expr.span.clone(), format!("this is {said} so")));
        }
        Some(term)
    }

    fn number(&mut self, expr: &Expr) -> Option<Typed> {
        let (term, of) = self.expression(expr)?;
        if !of.is_number() && of != Type::Any {
            let trouble = Diagnostic::error(expr.span.clone(), "expected a number");
            self.troubles.push(trouble.label(format!("this is {}", shown(&of))));
            return None;
        }
        Some((term, of))
    }

    fn expression(&mut self, expr: &Expr) -> Option<Typed> {
        let (term, of) = self.plain(expr)?;
        // What speaks of no message is known now.
        let is_value = matches!(term, Term::Minus(_) | Term::Arithmetic(..) | Term::Call(..));
        if is_value && term.is_closed() {
            return match term.value(&[None; Slot::COUNT]) {
                Some(value) => Some((Term::Constant(value.to_value()), of)),
                None => {
                    self.troubles.push(
                        Diagnostic::warning(expr.span.clone(), "this has no value")
                            .help("whatever it is compared with, the relation is false"),
                    );
                    Some((term, of))
                }
            };
        }
        Some((term, of))
    }

    fn plain(&mut self, expr: &Expr) -> Option<Typed> {
        Some(match &expr.kind {
            ExprKind::Bool(value) => (Term::Constant(Value::Bool(*value)), Type::Bool),
            ExprKind::Int(value) => (Term::Constant(Value::Int(*value)), WHOLE),
            ExprKind::Float(value) => (Term::Constant(Value::Float(*value)), Type::Float64),
            ExprKind::Text(text) => (Term::Constant(Value::Text(text.as_str().into())), Type::Text),
            ExprKind::Constant(constant) => (Term::Constant(Value::Float(constant.value())), Type::Float64),
            ExprKind::Field(root, steps) => return self.field(root, steps, &expr.span),
            ExprKind::Not(of) => (Term::Not(Box::new(self.condition(of)?)), Type::Bool),
            ExprKind::Minus(of) => {
                let (term, kind) = self.number(of)?;
                let kind = if matches!(kind, Type::Int { .. }) { WHOLE } else { kind };
                (Term::Minus(Box::new(term)), kind)
            }
            ExprKind::Binary(Operator::Relation(Relation::In), one, two) => {
                let (term, of) = self.expression(one)?;
                let domain = self.domain(two, Some(&of))?;
                (Term::In(Box::new(term), domain), Type::Bool)
            }
            ExprKind::Binary(Operator::Relation(relation), one, two) => {
                return self.relation(*relation, one, two, &expr.span);
            }
            ExprKind::Binary(Operator::Arithmetic(operator), one, two) => {
                let (one, two) = (self.number(one), self.number(two));
                let ((one, one_of), (two, two_of)) = (one?, two?);
                let whole = matches!((&one_of, &two_of), (Type::Int { .. }, Type::Int { .. }));
                let is_real =
                    matches!(operator, crate::hpl::Arithmetic::Divide | crate::hpl::Arithmetic::Power);
                let of = match (whole, is_real) {
                    (true, false) => WHOLE,
                    _ => Type::Float64,
                };
                (Term::Arithmetic(*operator, Box::new(one), Box::new(two)), of)
            }
            ExprKind::Binary(operator, one, two) => {
                let (one, two) = (self.condition(one), self.condition(two));
                let (one, two) = (Box::new(one?), Box::new(two?));
                let term = match operator {
                    Operator::And => Term::And(one, two),
                    Operator::Or => Term::Or(one, two),
                    Operator::Iff => Term::Iff(one, two),
                    _ => Term::Or(Box::new(Term::Not(one)), two),
                };
                (term, Type::Bool)
            }
            ExprKind::Call(function, arguments) => return self.call(*function, arguments, &expr.span),
            ExprKind::Set(_) | ExprKind::Range { .. } => {
                let trouble = Diagnostic::error(expr.span.clone(), "a set or range is no value");
                self.troubles.push(trouble.help("ask whether something is `in` it"));
                return None;
            }
            ExprKind::Quantified { all, variable, domain, body } => {
                let domain_term = self.domain(domain, None)?;
                self.check_size(&domain_term, &domain.span);
                let of = match &domain_term {
                    Domain::Array(_) => WHOLE,
                    _ => Type::Any,
                };
                if self.variables.iter().any(|(name, _)| *name == variable.text) {
                    let message = format!("`{}` is a variable already", variable.text);
                    return self.error(&variable.span, message);
                }
                self.check_variable(variable, domain, &domain_term, body);
                self.variables.push((variable.text.clone(), of));
                let body = self.condition(body);
                self.variables.pop();
                (Term::Quantified { all: *all, domain: domain_term, body: Box::new(body?) }, Type::Bool)
            }
        })
    }

    /// A variable is used, and as what it is: of an array, it is an index.
    fn check_variable(&mut self, variable: &Name, domain: &Expr, term: &Domain, body: &Expr) {
        let name = variable.text.as_str();
        let is_it = |part: &Expr| matches!(&part.kind, ExprKind::Field(Root::Named(other) | Root::Variable(other), _) if other == name);
        let (mut is_used, mut is_index, mut is_field) = (false, false, None);
        body.each(&mut |part| {
            is_used |= is_it(part);
            if let ExprKind::Field(root, steps) = &part.kind {
                for step in steps {
                    if let Step::Index(index) = step {
                        index.each(&mut |inner| is_index |= is_it(inner));
                    }
                }
                if let (Root::Own, [Step::Field(first), ..]) = (root, steps.as_slice())
                    && first.text == name
                {
                    is_field = Some(first.span.clone());
                }
            }
        });
        if !is_used {
            let trouble =
                Diagnostic::warning(variable.span.clone(), format!("the variable `{name}` is not used"));
            self.troubles.push(match is_field {
                Some(_) => trouble.help(format!("`{name}` alone is a field of the message: write `@{name}`")),
                None => trouble.help(format!("say something of `@{name}`")),
            });
        } else if matches!(term, Domain::Array(_)) && !is_index {
            let message = format!("`@{name}` is an index of `{domain}`, not an element");
            let trouble = Diagnostic::warning(variable.span.clone(), message);
            self.troubles.push(trouble.help(format!("its elements are `{domain}[@{name}]`")));
        }
    }

    /// Ranges that are walked through must not be too long.
    fn check_size(&mut self, domain: &Domain, span: &Span) {
        if let Domain::Range { ends, .. } = domain
            && let (Term::Constant(first), Term::Constant(last)) = (&ends.0, &ends.1)
            && let (Some(first), Some(last)) = (Seen::of(first), Seen::of(last))
            && crate::term::whole_range(&first, &last, false, false).is_none()
        {
            let trouble =
                Diagnostic::error(span.clone(), "there is too much in this range to look at each number");
            self.troubles.push(trouble.help(format!("at most {} numbers", crate::term::RANGE_MAX)));
        }
    }

    fn relation(&mut self, relation: Relation, one: &Expr, two: &Expr, span: &Span) -> Option<Typed> {
        let (left, right) = (self.expression(one), self.expression(two));
        let ((mut left, left_of), (mut right, right_of)) = (left?, right?);
        let has_order = !matches!(relation, Relation::Equal | Relation::Unequal);
        for (of, at) in [(&left_of, one), (&right_of, two)] {
            if has_order && !of.is_number() && *of != Type::Any {
                let trouble =
                    Diagnostic::error(at.span.clone(), format!("`{}` compares numbers", relation.sign()));
                self.troubles.push(trouble.label(format!("this is {}", shown(of))));
                return None;
            }
        }
        if !are_alike(&left_of, &right_of) {
            let message = format!("{} is never {}", shown(&left_of), shown(&right_of));
            return self.error(span, message);
        }
        round(&mut left, &right_of);
        round(&mut right, &left_of);
        Some((Term::Compare(relation, Box::new(left), Box::new(right)), Type::Bool))
    }

    /// What `in` and quantifiers look at. With a type, its values are compared with such.
    fn domain(&mut self, expr: &Expr, wanted: Option<&Type>) -> Option<Domain> {
        let alike = |resolver: &mut Self, term: &mut Term, of: &Type, span: &Span| {
            let Some(wanted) = wanted else { return true };
            if !are_alike(wanted, of) {
                let message = format!("{} is never {}", shown(wanted), shown(of));
                resolver.error(span, message);
                return false;
            }
            round(term, wanted);
            true
        };
        match &expr.kind {
            ExprKind::Set(items) => {
                if items.is_empty() {
                    let trouble = Diagnostic::warning(expr.span.clone(), "nothing is in an empty set");
                    self.troubles.push(trouble);
                }
                let mut terms = Vec::new();
                for item in items {
                    let (mut term, of) = self.expression(item)?;
                    if !alike(self, &mut term, &of, &item.span) {
                        return None;
                    }
                    terms.push(term);
                }
                Some(Domain::Set(terms))
            }
            ExprKind::Range { ends, without_first, without_last } => {
                let (first, last) = (self.number(&ends.0), self.number(&ends.1));
                let ((mut first, first_of), (mut last, last_of)) = (first?, last?);
                if !alike(self, &mut first, &first_of, &ends.0.span)
                    || !alike(self, &mut last, &last_of, &ends.1.span)
                {
                    return None;
                }
                if let (Term::Constant(one), Term::Constant(two)) = (&first, &last) {
                    let is_empty = match (Seen::of(one), Seen::of(two)) {
                        (Some(one), Some(two)) => crate::term::holds(Relation::Greater, &one, &two),
                        _ => false,
                    };
                    if is_empty {
                        let trouble = Diagnostic::warning(expr.span.clone(), "nothing is in this range");
                        self.troubles.push(trouble.help("the smaller end comes first"));
                    }
                }
                Some(Domain::Range {
                    ends: Box::new((first, last)),
                    without_first: *without_first,
                    without_last: *without_last,
                })
            }
            _ => {
                let (term, of) = self.expression(expr)?;
                let is_array = match &of {
                    Type::Any => true,
                    Type::Array(items, _) => wanted.is_none_or(|wanted| are_alike(wanted, items)),
                    _ => false,
                };
                if !is_array || !matches!(term, Term::Field(_)) {
                    let trouble = Diagnostic::error(expr.span.clone(), "expected an array, a set or a range");
                    self.troubles.push(
                        trouble
                            .label(format!("this is {}", shown(&of)))
                            .help("`{1, 2}`, `[0 to 9]` or an array field"),
                    );
                    return None;
                }
                Some(Domain::Array(Box::new(term)))
            }
        }
    }

    fn call(&mut self, function: Function, arguments: &[Expr], span: &Span) -> Option<Typed> {
        let mut terms = Vec::new();
        let mut types = Vec::new();
        for argument in arguments {
            if matches!(argument.kind, ExprKind::Set(_) | ExprKind::Range { .. }) {
                let several = self.domain(argument, None)?;
                self.check_size(&several, &argument.span);
                terms.push(Argument::Several(several));
                types.push(Type::Array(Box::new(Type::Any), None));
                continue;
            }
            let (term, of) = self.expression(argument)?;
            terms.push(Argument::One(term));
            types.push(of);
        }
        let first = types.first().cloned().unwrap_or(Type::Any);
        let is_list = |of: &Type| matches!(of, Type::Array(..));
        let numeric = |of: &Type| of.is_number() || *of == Type::Any;
        let fits = match function {
            Function::Bool | Function::Int | Function::Float | Function::Str => {
                !matches!(first, Type::Record(_))
            }
            Function::Len => is_list(&first) || matches!(first, Type::Text | Type::Any),
            Function::Sum | Function::Prod | Function::Min | Function::Max | Function::Gcd => {
                types.iter().all(|of| is_list(of) || numeric(of))
            }
            Function::Roll | Function::Pitch | Function::Yaw if types.len() == 1 => {
                matches!(first, Type::Record(_) | Type::Any)
            }
            Function::Roll | Function::Pitch | Function::Yaw if types.len() != 4 => false,
            _ => types.iter().all(numeric),
        };
        if !fits {
            let given: Vec<String> = types.iter().map(shown).collect();
            let message = format!("`{}` cannot take {}", function.word(), given.join(", "));
            return self.error(span, message);
        }
        let of = match function {
            Function::Bool => Type::Bool,
            Function::Str => Type::Text,
            Function::Int | Function::Len | Function::Ceil | Function::Floor | Function::Gcd => WHOLE,
            Function::Abs | Function::Sum | Function::Prod | Function::Min | Function::Max => match first {
                Type::Int { .. } => WHOLE,
                Type::Array(of, _) if matches!(*of, Type::Int { .. }) => WHOLE,
                Type::Float32 if function == Function::Abs => Type::Float32,
                _ => Type::Any,
            },
            _ => Type::Float64,
        };
        Some((Term::Call(function, terms), of))
    }

    /// Where no types are known, there are no constants: a name in capitals may be one all the same.
    fn check_capitals(&mut self, steps: &[Step]) {
        if let (Type::Any, [Step::Field(name), _, ..]) = (self.of, steps)
            && let Some(known) = self.known.iter_mut().find(|known| known.has_alias(&name.text))
        {
            // (Nobody need be told that the name is not used, too.)
            known.is_used.iter_mut().for_each(|is_used| *is_used = true);
            let message = format!("`{}` is read as a field, and there is a message of that name", name.text);
            let trouble = Diagnostic::warning(name.span.clone(), message);
            self.troubles.push(trouble.help(format!("the message is `@{}`", name.text)));
        }
        if let (Type::Any, [Step::Field(name)]) = (self.of, steps)
            && matches!(name.text.as_str(), "null" | "None" | "nil")
        {
            let trouble =
                Diagnostic::warning(name.span.clone(), format!("`{}` is read as a field", name.text));
            let help =
                "no relation with a field that is missing is so: `not x = x` says that there is no `x`";
            self.troubles.push(trouble.help(help));
        }
        if let (Type::Any, [Step::Field(name)]) = (self.of, steps)
            && matches!(name.text.as_str(), "true" | "false")
        {
            let (message, truth) = (
                format!("`{}` is read as a field", name.text),
                if name.text == "true" { "True" } else { "False" },
            );
            self.troubles.push(
                Diagnostic::warning(name.span.clone(), message).help(format!("the truth value is `{truth}`")),
            );
        }
        if let (Type::Any, [Step::Field(name)]) = (self.of, steps)
            && name.text.len() > 2
            && name.text.starts_with(|c: char| c.is_ascii_uppercase())
            && name.text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        {
            let message = format!("`{}` is read as a field", name.text);
            let help = "constants are those of message types: judge by a system file, which has them, or write the number";
            self.troubles.push(Diagnostic::warning(name.span.clone(), message).help(help));
        }
    }

    /// A path of fields, from where it begins.
    fn field(&mut self, root: &Root, steps: &[Step], span: &Span) -> Option<Typed> {
        let variable = |name: &str, resolver: &Self| {
            let place = resolver.variables.iter().rev().position(|(known, _)| known == name)?;
            let of = resolver.variables[resolver.variables.len() - 1 - place].1.clone();
            Some((AccessRoot::Variable(place), of))
        };
        let (access, of) = match root {
            Root::Own => {
                if let Some(constant) = self.constant(steps) {
                    return Some(constant);
                }
                self.check_capitals(steps);
                (AccessRoot::Message(self.slot), self.of.clone())
            }
            Root::Variable(name) => match variable(name, self) {
                Some(found) => found,
                None if self.is_beyond(name, span) => return None,
                None => return self.error(span, format!("there is no variable `{name}`")),
            },
            Root::Named(name) => match variable(name, self) {
                Some(found) => found,
                None => self.message(name, span)?,
            },
            Root::Numbered(number) => {
                let (number, count) = (*number, self.known.len());
                match self.known.iter_mut().find(|known| known.number == number) {
                    Some(known) => {
                        known.is_used.iter_mut().for_each(|is_used| *is_used = true);
                        (AccessRoot::Message(known.slot), known.of.clone())
                    }
                    None if number == count + 1 && self.slot != Slot::Terminator => {
                        (AccessRoot::Message(self.slot), self.of.clone())
                    }
                    None => {
                        let trouble = Diagnostic::error(span.clone(), format!("there is no message {number} yet"))
                            .help("messages are numbered from 1: the activator, then those of the pattern; only earlier ones are known");
                        self.troubles.push(trouble);
                        return None;
                    }
                }
            }
        };
        if steps.is_empty() && matches!(access, AccessRoot::Message(_)) {
            let trouble = Diagnostic::error(span.clone(), "a message as a whole is no value");
            self.troubles.push(trouble.help("name one of its fields: `@name.field`"));
            return None;
        }
        self.walk(access, of, steps)
    }

    /// A constant of the type of the message.
    fn constant(&self, steps: &[Step]) -> Option<Typed> {
        let ([Step::Field(name)], Type::Record(message)) = (steps, self.of) else { return None };
        if message.field(&name.text).is_some() {
            return None;
        }
        let value = message.constant(&name.text)?;
        let of = match value {
            Value::Bool(_) => Type::Bool,
            Value::Int(_) => WHOLE,
            Value::Text(_) => Type::Text,
            _ => Type::Float64,
        };
        Some((Term::Constant(value.clone()), of))
    }

    /// The message of a name.
    fn message(&mut self, name: &str, span: &Span) -> Option<(AccessRoot, Type)> {
        if self.own == Some(name) {
            return Some((AccessRoot::Message(self.slot), self.of.clone()));
        }
        for known in self.known.iter_mut() {
            let binds =
                |alias: &Option<crate::hpl::Name>| alias.as_ref().is_some_and(|alias| alias.text == name);
            if !known.aliases.iter().any(binds) {
                continue;
            }
            if !known.aliases.iter().all(binds) {
                let trouble = Diagnostic::error(span.clone(), format!("it may be that there is no `{name}`"))
                    .label("only one alternative has this name")
                    .help("give every alternative of that event the same name");
                self.troubles.push(trouble);
                let _ = &known.span;
                return None;
            }
            known.is_used.iter_mut().for_each(|is_used| *is_used = true);
            return Some((AccessRoot::Message(known.slot), known.of.clone()));
        }
        if self.is_beyond(name, span) {
            return None;
        }
        let names = self.known.iter().flat_map(|known| known.aliases.iter().flatten());
        let names: Vec<&str> = names.map(|alias| alias.text.as_str()).collect();
        let mut trouble =
            Diagnostic::error(span.clone(), format!("no message before this one is called `{name}`"));
        trouble = match nearest(name, names.iter().copied()) {
            Some(near) => trouble.help(format!("is it `{near}`?")),
            None if self.slot == Slot::Terminator => {
                trouble.help("the end of a scope knows the message that opened it, and no other")
            }
            None => trouble.help(format!("name an earlier event: `/channel as {name}`")),
        };
        self.troubles.push(trouble);
        None
    }

    /// Tells of a variable after its quantifier, if it is one.
    fn is_beyond(&mut self, name: &str, span: &Span) -> bool {
        let Some(beyond) = self.beyond.iter().find(|beyond| beyond.variable == name) else { return false };
        let trouble = Diagnostic::error(span.clone(), format!("`@{name}` is beyond its quantifier"))
            .label(format!("`{name}` is known in the first condition after the colon only"))
            .help(format!("put all of it in brackets: `{}`", beyond.meant));
        self.troubles.push(trouble);
        true
    }

    fn walk(&mut self, root: AccessRoot, mut of: Type, steps: &[Step]) -> Option<Typed> {
        let mut taken = Vec::new();
        for step in steps {
            of = match (step, of) {
                (Step::Field(name), Type::Any) => {
                    taken.push(AccessStep::Field(FieldName::new(&name.text)));
                    Type::Any
                }
                (Step::Field(name), Type::Record(message)) => {
                    let Some(field) = message.field(&name.text) else {
                        let names = message.fields.iter().map(|(name, _)| name.as_str());
                        let constants = message.constants.iter().map(|(name, _)| name.as_str());
                        let near = nearest(&name.text, names.chain(constants)).map(str::to_string);
                        let variable = self.variables.iter().any(|(variable, _)| *variable == name.text);
                        let near = match name.text.as_str() {
                            _ if variable => Some(format!("@{}", name.text)),
                            "true" => Some("True".into()),
                            "false" => Some("False".into()),
                            _ => near,
                        };
                        let mut trouble = Diagnostic::error(
                            name.span.clone(),
                            format!("{} has no field `{}`", message.name, name.text),
                        );
                        trouble = match near {
                            Some(near) => trouble.help(format!("is it `{near}`?")),
                            None => {
                                let all: Vec<&str> =
                                    message.fields.iter().map(|(name, _)| name.as_str()).collect();
                                trouble.help(match all.as_slice() {
                                    [] => "it has no fields at all".to_string(),
                                    _ => format!("its fields are {}", all.join(", ")),
                                })
                            }
                        };
                        self.troubles.push(trouble);
                        return None;
                    };
                    taken.push(AccessStep::Field(FieldName::new(&name.text)));
                    field.clone()
                }
                (Step::Field(name), other) => {
                    self.error(&name.span, format!("{} has no fields", shown(&other)));
                    return None;
                }
                (Step::Index(index), other) => {
                    let (term, _) = self.number(index)?;
                    let items = match other {
                        Type::Any => Type::Any,
                        Type::Array(items, length) => {
                            self.check_index(&term, length, &index.span)?;
                            *items
                        }
                        other => {
                            self.error(&index.span, format!("{} has no elements", shown(&other)));
                            return None;
                        }
                    };
                    taken.push(AccessStep::Index(term));
                    items
                }
            };
        }
        Some((Term::Field(Access { root, steps: taken }), of))
    }

    fn check_index(&mut self, index: &Term, length: Option<usize>, span: &Span) -> Option<()> {
        let Term::Constant(Value::Int(index)) = index else { return Some(()) };
        let is_out = *index < 0 || length.is_some_and(|length| *index >= length as i128);
        if is_out {
            let most =
                length.map_or(String::new(), |length| format!(": there are {length} elements, from 0"));
            self.error(span, format!("there is no element {index}{most}"));
            return None;
        }
        Some(())
    }
}

/// Whether a function has numbers for values.
fn gives_number(function: Function) -> bool {
    !matches!(function, Function::Bool | Function::Str)
}

/// Whether values of two types may be equal.
fn are_alike(one: &Type, two: &Type) -> bool {
    match (one, two) {
        (Type::Any, _) | (_, Type::Any) => true,
        (one, two) if one.is_number() && two.is_number() => true,
        (Type::Array(one, _), Type::Array(two, _)) => are_alike(one, two),
        (Type::Record(_), Type::Record(_)) => true,
        (one, two) => std::mem::discriminant(one) == std::mem::discriminant(two),
    }
}

/// A literal that is compared with a float of single precision is one as well.
fn round(term: &mut Term, with: &Type) {
    if *with != Type::Float32 {
        return;
    }
    match term {
        Term::Constant(Value::Float(value)) => *value = f64::from(*value as f32),
        Term::Constant(constant @ Value::Int(_)) => {
            if let Value::Int(value) = *constant {
                *constant = Value::Float(f64::from(value as f32));
            }
        }
        _ => {}
    }
}

fn shown(of: &Type) -> String {
    match of {
        Type::Any => "anything".into(),
        Type::Bool => "a truth value".into(),
        Type::Int { bits: 127, .. } => "a whole number".into(),
        Type::Text => "text".into(),
        Type::Array(..) => "an array".into(),
        Type::Int { signed: true, .. } => format!("an {of}"),
        other => format!("a {other}"),
    }
}
