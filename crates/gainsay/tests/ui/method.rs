use gainsay::prelude::*;

struct Account;

impl Account {
    #[property]
    fn never_negative(&self, n: u8) -> bool {
        true
    }
}

fn main() {}
