use gainsay::prelude::*;

#[property]
fn nothing_varies() -> bool {
    true
}

fn main() {}
