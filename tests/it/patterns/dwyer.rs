//! Eleven patterns of specifications, each in five scopes. (Benches read this file as well.)

use gainsay::temporal::{Atom, atom};

/// The atoms `p`, `q`, `r`, `s`, `t` and `z`: bits of a number.
pub(crate) fn atoms() -> Vec<Atom<u8>> {
    let named = "pqrstz".chars().enumerate();
    named
        .map(|(bit, name)| {
            let all = |wanted: bool| {
                (0..64u8).filter(|number| (number >> bit & 1 == 1) == wanted).collect::<Vec<u8>>()
            };
            atom(name.to_string(), move |number: &u8| number >> bit & 1 == 1)
                .when_true(all(true))
                .when_false(all(false))
        })
        .collect()
}

/// A pattern in its scopes (globally, before r, after q, between q and r, after q until r), and what triggers it.
pub(crate) struct Pattern {
    pub(crate) name: &'static str,
    trigger: &'static str,
    pub(crate) scopes: [&'static str; 5],
}

pub(crate) const PATTERNS: [Pattern; 11] = [
    Pattern {
        name: "absence",
        trigger: "",
        scopes: [
            "G !p",
            "F r -> (!p U r)",
            "G (q -> G !p)",
            "G (q & !r & F r -> (!p U r))",
            "G (q & !r -> (!p W r))",
        ],
    },
    Pattern {
        name: "existence",
        trigger: "",
        scopes: [
            "F p",
            "!r W (p & !r)",
            "G !q | F (q & F p)",
            "G (q & !r & F r -> (!r U (p & !r)))",
            "G (q & !r -> (!r U (p & !r)))",
        ],
    },
    Pattern {
        name: "bounded existence",
        trigger: "",
        scopes: [
            "!p W (p W (!p W (p W G !p)))",
            "F r -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p U r)))))))))",
            "F q -> (!q U (q & (!p W (p W (!p W (p W G !p))))))",
            "G (q & F r -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p U r))))))))))",
            "G (q -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p W r) | G p)))))))))",
        ],
    },
    Pattern {
        name: "universality",
        trigger: "",
        scopes: [
            "G p",
            "F r -> (p U r)",
            "G (q -> G p)",
            "G (q & !r & F r -> (p U r))",
            "G (q & !r -> (p W r))",
        ],
    },
    Pattern {
        name: "precedence",
        trigger: "p",
        scopes: [
            "!p W s",
            "F r -> (!p U (s | r))",
            "G !q | F (q & (!p W s))",
            "G (q & !r & F r -> (!p U (s | r)))",
            "G (q & !r -> (!p W (s | r)))",
        ],
    },
    Pattern {
        name: "response",
        trigger: "p",
        scopes: [
            "G (p -> F s)",
            "F r -> ((p -> (!r U (s & !r))) U r)",
            "G (q -> G (p -> F s))",
            "G (q & !r & F r -> ((p -> (!r U (s & !r))) U r))",
            "G (q & !r -> ((p -> (!r U (s & !r))) W r))",
        ],
    },
    Pattern {
        name: "two causes precede an effect",
        trigger: "p",
        scopes: [
            "F p -> (!p U (s & !p & X (!p U t)))",
            "F r -> (!p U (r | (s & !p & X (!p U t))))",
            "G !q | (!q U (q & F p -> (!p U (s & !p & X (!p U t)))))",
            "G (q & F r -> (!p U (r | (s & !p & X (!p U t)))))",
            "G (q -> (F p -> (!p U (r | (s & !p & X (!p U t))))))",
        ],
    },
    Pattern {
        name: "a cause precedes two effects",
        trigger: "s",
        scopes: [
            "F (s & X F t) -> (!s U p)",
            "F r -> (!(s & !r & X (!r U (t & !r))) U (r | p))",
            "G !q | (!q U (q & (F (s & X F t) -> (!s U p))))",
            "G (q & F r -> (!(s & !r & X (!r U (t & !r))) U (r | p)))",
            "G (q -> ((!(s & !r & X (!r U (t & !r))) U (r | p)) | G !(s & X F t)))",
        ],
    },
    Pattern {
        name: "a response to two stimuli",
        trigger: "s",
        scopes: [
            "G (s & X F t -> X F (t & F p))",
            "F r -> ((s & X (!r U t) -> X (!r U (t & F p))) U r)",
            "G (q -> G (s & X F t -> X (!t U (t & F p))))",
            "G (q & F r -> ((s & X (!r U t) -> X (!r U (t & F p))) U r))",
            "G (q -> ((s & X (!r U t) -> X (!r U (t & F p))) U (r | G (s & X (!r U t) -> X (!r U (t & F p))))))",
        ],
    },
    Pattern {
        name: "two responses to a stimulus",
        trigger: "p",
        scopes: [
            "G (p -> F (s & X F t))",
            "F r -> ((p -> (!r U (s & !r & X (!r U t)))) U r)",
            "G (q -> G (p -> F (s & X F t)))",
            "G (q & F r -> ((p -> (!r U (s & !r & X (!r U t)))) U r))",
            "G (q -> ((p -> (!r U (s & !r & X (!r U t)))) U (r | G (p -> F (s & X F t)))))",
        ],
    },
    Pattern {
        name: "two responses without something between them",
        trigger: "p",
        scopes: [
            "G (p -> F (s & !z & X (!z U t)))",
            "F r -> ((p -> (!r U (s & !r & !z & X ((!r & !z) U t)))) U r)",
            "G (q -> G (p -> F (s & !z & X (!z U t))))",
            "G (q & F r -> ((p -> (!r U (s & !r & !z & X ((!r & !z) U t)))) U r))",
            "G (q -> ((p -> (!r U (s & !r & !z & X ((!r & !z) U t)))) U (r | G (p -> F (s & !z & X (!z U t))))))",
        ],
    },
];

impl Pattern {
    /// What a stream says that is not empty talk: the scope is entered, and what triggers the pattern comes.
    pub(crate) fn telling(&self, scope: usize) -> String {
        let entered = ["true", "F r", "F q", "F (q & !r & F r)", "F (q & !r)"][scope];
        format!("{entered} & F {}", self.trigger())
    }

    fn trigger(&self) -> &str {
        if self.trigger.is_empty() { "true" } else { self.trigger }
    }
}
