//! Which coffee machine implements which, and what is lost.

#![expect(clippy::print_stdout, reason = "the example tells its story on the terminal")]

use coffee::{INPUTS, Seller, c0, c1, c2, c3, c4, value};
use gainsay::machine::{Relation, laws, refines};

fn main() {
    println!("Does one machine implement the other?\n");
    compare("c2", &c2(), "c1", &c1());
    compare("c4", &c4(), "c1", &c1());
    compare("c3", &c3(), "c2", &c2());
    compare("c4", &c4(), "c2", &c2());
    println!("\nIs money lost?\n");
    lost("c0", &c0());
    lost("c2", &c2());
    lost("c3", &c3());
    lost("c4", &c4());
}

fn compare(name: &str, machine: &impl Seller, other: &str, specification: &impl Seller) {
    match refines(machine, specification, &INPUTS, Relation::Uioco, 1000) {
        Ok(refinement) => println!("{name} implements {other}: {refinement}"),
        Err(error) => println!("{name} implements {other}: {error}"),
    }
}

fn lost(name: &str, machine: &impl Seller) {
    let verdict = laws(machine, INPUTS)
        .settings(gainsay::settings().without_corpus())
        .states(1000)
        .verdict(|step| gainsay::equal(step.from + value(&[step.input]), step.to + value(&step.outputs)));
    println!("{name}: {verdict}");
}
