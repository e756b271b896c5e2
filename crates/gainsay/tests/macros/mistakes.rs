//! What the macros say to mistakes.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
