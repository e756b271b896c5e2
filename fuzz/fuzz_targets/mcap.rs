#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gainsay_fuzz::mcap(bytes));
