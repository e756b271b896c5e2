//! Recursive types: through boxes, lists and options, through each other, with the recursive variant first.

use crate::derive::assert_described;
use gainsay::prelude::*;

/// The recursive variant is written first.
#[derive(Debug, Clone, PartialEq, Arbitrary)]
enum Expr {
    Div(Box<Expr>, Box<Expr>),
    Add(Box<Expr>, Box<Expr>),
    Lit(i32),
}

impl Expr {
    fn eval(&self) -> i32 {
        match self {
            Expr::Div(a, b) => a.eval().wrapping_div(b.eval()),
            Expr::Add(a, b) => a.eval().wrapping_add(b.eval()),
            Expr::Lit(n) => *n,
        }
    }

    fn eval_checked(&self) -> Option<i32> {
        Some(match self {
            Expr::Div(a, b) => match b.eval_checked()? {
                0 => return None,
                b => a.eval_checked()?.wrapping_div(b),
            },
            Expr::Add(a, b) => a.eval_checked()?.wrapping_add(b.eval_checked()?),
            Expr::Lit(n) => *n,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Arbitrary)]
struct Rose {
    children: Vec<Rose>,
    name: u8,
}

#[derive(Debug, Clone, PartialEq, Arbitrary)]
struct Chain(Option<Box<Chain>>);

#[derive(Debug, Clone, PartialEq, Arbitrary)]
enum Tree<T> {
    Node { left: Box<Tree<T>>, value: T, right: Box<Tree<T>> },
    Leaf,
}

impl<T> Tree<T> {
    fn depth(&self) -> usize {
        match self {
            Tree::Node { left, right, .. } => 1 + left.depth().max(right.depth()),
            Tree::Leaf => 0,
        }
    }
}

/// Statements contain blocks, and blocks statements.
#[derive(Debug, Clone, PartialEq, Arbitrary)]
enum Statement {
    If(Block, Option<Block>),
    While(Box<Loop>),
    Skip,
}

#[derive(Debug, Clone, PartialEq, Arbitrary)]
struct Loop {
    body: Block,
    first: Statement,
}

#[derive(Debug, Clone, PartialEq, Arbitrary)]
struct Block(Vec<Statement>);

impl Block {
    fn depth(&self) -> usize {
        let of = |statement: &Statement| match statement {
            Statement::If(a, b) => 1 + a.depth().max(b.as_ref().map_or(0, Block::depth)),
            Statement::While(w) => 1 + w.body.depth(),
            Statement::Skip => 0,
        };
        self.0.iter().map(of).max().unwrap_or(0)
    }
}

#[test]
fn descriptions_are_exact() {
    assert_described::<Expr>(500);
    assert_described::<Rose>(500);
    assert_described::<Chain>(50);
    assert_described::<Tree<bool>>(500);
    assert_described::<Tree<Tree<u8>>>(200);
    assert_described::<Statement>(500);
    assert_described::<Block>(500);
    assert_described::<Loop>(500);
}

#[test]
fn the_simplest_value_ends() {
    assert_eq!(nth::<Expr>(0), Some(Expr::Lit(0)));
    assert_eq!(nth::<Rose>(0), Some(Rose { children: vec![], name: 0 }));
    assert_eq!(nth::<Chain>(0), Some(Chain(None)));
    assert_eq!(nth::<Tree<u8>>(0), Some(Tree::Leaf));
    assert_eq!(nth::<Statement>(0), Some(Statement::Skip));
    assert_eq!(nth::<Loop>(0), Some(Loop { body: Block(vec![]), first: Statement::Skip }));
}

#[test]
fn random_values_are_of_all_sizes() {
    let depths: Vec<usize> =
        (0..2000).map(|index| Case::random(1, index).any::<Tree<u8>>().depth()).collect();
    for depth in 0..=5 {
        assert!(depths.contains(&depth), "no tree of depth {depth}");
    }
    assert!(depths.iter().all(|depth| *depth < 1000));
    let nested = (0..2000).filter(|index| Case::random(1, *index).any::<Block>().depth() > 2).count();
    assert!(nested > 100, "only {nested} of 2000 blocks are nested");
}

#[test]
fn the_smallest_division_by_zero() {
    let settings = || settings().seed(5).without_corpus().random_only();
    let verdict = settings().verdict_for_all(|expr: Expr| {
        expr.eval();
    });
    let shown = verdict.counterexample().map(|c| c.shown());
    assert_eq!(shown.as_deref(), Some("#1 = Div(Lit(0), Lit(0))"), "{verdict}");
    let verdict = settings().verdict_for_all(|expr: Expr| {
        expr.eval_checked();
    });
    assert!(verdict.is_good(), "{verdict}");
}

#[test]
fn the_smallest_deep_tree() {
    let verdict = settings().seed(5).without_corpus().verdict_for_all(|tree: Tree<bool>| tree.depth() < 2);
    let shown = verdict.counterexample().map(|c| c.shown()).unwrap_or_default();
    let smallest = [
        "#1 = Node { left: Leaf, value: false, right: Node { left: Leaf, value: false, right: Leaf } }",
        "#1 = Node { left: Node { left: Leaf, value: false, right: Leaf }, value: false, right: Leaf }",
    ];
    assert!(smallest.contains(&shown.as_str()), "{verdict}");
    let verdict =
        settings().seed(5).without_corpus().verdict_for_all(|tree: Tree<bool>| tree.depth() < usize::MAX);
    assert!(verdict.is_good(), "{verdict}");
}

#[test]
fn the_smallest_nested_loop() {
    let verdict = settings().seed(5).without_corpus().verdict_for_all(|block: Block| block.depth() < 2);
    let shown = verdict.counterexample().map(|c| c.shown()).unwrap_or_default();
    assert_eq!(shown, "#1 = Block([If(Block([If(Block([]), None)]), None)])", "{verdict}");
    let verdict =
        settings().seed(5).without_corpus().verdict_for_all(|block: Block| block.depth() < usize::MAX);
    assert!(verdict.is_good(), "{verdict}");
}

#[property(cases = 300, seed = 1)]
fn as_an_argument(tree: &Tree<u8>, block: Block) -> bool {
    tree.depth() < usize::MAX && block.depth() < usize::MAX
}

#[derive(Debug, Clone, PartialEq, Arbitrary)]
enum Endless {
    Again(Box<Endless>),
}

#[test]
#[should_panic(expected = "`macros::recursion::Endless` has no finite value")]
fn an_endless_type_says_so() {
    Case::random(1, 1).any::<Endless>();
}
