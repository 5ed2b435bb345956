//! Compares the decorators with PyTriton's, whose results PyTriton itself wrote into a table.

mod case;
mod model;
mod recorded;
mod requests;
mod tensors;

use self::case::Case;

/// Runs the cases of a family, which must have at least `least` cases.
fn run(family: &str, least: usize) {
    let cases = Case::all(family);
    assert!(cases.len() >= least, "{}", cases.len());
    cases.iter().for_each(Case::run);
}

#[test]
fn batch() {
    run("batch", 15);
}

#[test]
fn sample() {
    run("sample", 13);
}

#[test]
fn first_value() {
    run("first_value", 30);
}

#[test]
fn fill_optionals() {
    run("fill_optionals", 15);
}

#[test]
fn group_by_keys() {
    run("group_by_keys", 5);
}

#[test]
fn group_by_values() {
    run("group_by_values", 45);
}

#[test]
fn pad_batch() {
    run("pad_batch", 10);
}

#[test]
fn composed() {
    run("composed", 10);
}
