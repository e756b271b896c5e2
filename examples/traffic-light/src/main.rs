//! Tests four lights and two buttons, and shows what is wrong with four of them.

#![expect(clippy::print_stdout, reason = "the example tells its story on the terminal")]

use traffic_light::light::{MISTAKES, Mistake};
use traffic_light::{answers, is_safe, warns};

fn main() {
    println!("1  {}\n2  {}\n3  {}\n", is_safe(), answers(), warns());
    for mistake in [Mistake::None].into_iter().chain(MISTAKES) {
        println!("{mistake:?}: {}\n", traffic_light::tested(mistake, 1));
    }
    println!("button: {}\n", traffic_light::button_tested(false, 1));
    println!("offended button: {}", traffic_light::button_tested(true, 1));
}
