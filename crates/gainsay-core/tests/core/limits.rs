//! What is asked for beyond a limit is refused at once, and the limit is named.

use gainsay_core::{read_named_text, read_text, settings};
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn a_case_that_no_enumeration_reaches_is_not_walked_to() {
    let start = Instant::now();
    let replay = "1:0:walk=9223372036854775807,seed=2";
    let replayed = std::panic::catch_unwind(|| {
        settings().without_corpus().replay(replay).check(|case| {
            case.vec(0..=100, |case| case.int(0..=1_000_000u32));
        });
    });
    let message = replayed.unwrap_err();
    let message = message.downcast_ref::<String>().unwrap();
    assert!(
        message.contains("an enumeration ends after 100000000 cases (`exhaustive_cases_max`)"),
        "{message}"
    );
    assert!(start.elapsed() < Duration::from_secs(10));
    // The limit is the one of the settings.
    let few = || settings().without_corpus().limits(|limits| limits.exhaustive_cases_max = 3);
    few().replay("1:0:walk=3,seed=2").check(|case| {
        case.int(0..=9u8);
    });
    let refused = std::panic::catch_unwind(|| {
        few().replay("1:0:walk=4,seed=2").check(|case| {
            case.int(0..=9u8);
        });
    });
    assert!(refused.is_err());
}

#[test]
fn a_device_that_never_ends_is_not_read_to_its_end() {
    let zero = Path::new("/dev/zero");
    if !zero.exists() {
        return;
    }
    let too_long = read_text(zero).unwrap_err().to_string();
    assert_eq!(too_long, "it has more than 67108864 bytes, and no text that is read here may");
    assert_eq!(read_named_text(zero).unwrap_err().to_string(), "it is no regular file");
}
