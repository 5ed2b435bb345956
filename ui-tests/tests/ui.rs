//! What `#[pytriton::model]` accepts, and what it says of everything else.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/fail/**/*.rs");
    cases.pass("tests/pass/*.rs");
}
