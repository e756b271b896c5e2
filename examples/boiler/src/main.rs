//! Tests five valves by three demands, and shows what is wrong with four of them.

#![expect(clippy::print_stdout, reason = "a program for people")]

use boiler::valves::{anxious, hesitant, impatient, right, thrifty};
use boiler::{demands, opens_in_time, stays_open};
use gainsay::settings;
use gainsay::temporal::StreamTest;

fn main() {
    println!(
        "1  {}\n2  {}\n3  whatever satisfies G !`pressure > 10` keeps G !open\n",
        opens_in_time(),
        stays_open()
    );
    let valves: [(&str, [StreamTest<i32, bool>; 3]); 5] = [
        ("right", demands(right)),
        ("hesitant", demands(hesitant)),
        ("impatient", demands(impatient)),
        ("anxious", demands(anxious)),
        ("thrifty", demands(thrifty)),
    ];
    for (name, tests) in valves {
        for (number, test) in tests.into_iter().enumerate() {
            let verdict = test.settings(settings().seed(1).without_corpus()).verdict();
            println!("{name}, {}: {verdict}", number + 1);
        }
    }
}
