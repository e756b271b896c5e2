//! Monitors, held against the meaning of properties in temporal logic and against the definitions.

use crate::random::{Wanted, difference, property, trace};
use gainsay_core::{Case, settings};

#[test]
fn monitors_agree_with_the_meaning_of_properties() {
    settings().cases(6000).seed(8).without_corpus().check(|case: &mut Case| {
        let wanted = Wanted::draw(case);
        let text = property(case, wanted);
        let trace = trace(case, wanted, 9);
        match difference(&text, &trace) {
            Ok(None) => {}
            Ok(Some(difference)) => panic!("{difference}"),
            Err(trouble) => panic!("{trouble}"),
        }
    });
}
