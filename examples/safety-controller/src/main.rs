//! Tests the safety controller by its specification, and shows what is wrong with a forgetful one.

#![expect(clippy::print_stdout, reason = "a program for people")]

use gainsay::settings;
use gainsay_msg::SystemTest;
use safety_controller::{SafetyController, system};

fn main() {
    let file = system();
    for rule in file.system.testable() {
        println!("{}", rule.id);
        let controllers = [
            ("right", SafetyController::new as fn(u64) -> SafetyController),
            ("forgetful", SafetyController::forgetful),
        ];
        for (name, make) in controllers {
            let test = SystemTest::new(&file.system, &rule.id).settings(settings().seed(1).without_corpus());
            match test.run(&mut SafetyController::bus(make)) {
                Ok(tested) => println!("  {name}: {}", tested.report.verdict),
                Err(error) => println!("  {name}: {error}"),
            }
        }
    }
}
