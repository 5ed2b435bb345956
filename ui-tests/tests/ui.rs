//! The errors of `#[pytriton::model]` for code that it rejects.

use std::fs;
use std::path::Path;

use pytriton_ui_tests::advice::{cases, followed};

/// Compiles all rejected programs together.
#[test]
fn ui() {
    trybuild::TestCases::new().compile_fail("tests/fail/**/*.rs");
}

#[test]
fn suggestions_match_the_corrected_programs() {
    let wrong = cases().into_iter().flat_map(|case| {
        let messages = wrong_messages(&case, &followed(&case));
        messages
            .into_iter()
            .map(move |message| (case.clone(), message))
    });
    assert_eq!(
        wrong.collect::<Vec<_>>(),
        [],
        "these suggest other code than they contain"
    );
}

/// Returns the messages of a case that suggest only code that is not in the program.
fn wrong_messages(case: &Path, program: &str) -> Vec<String> {
    let messages = fs::read_to_string(case.with_extension("stderr")).unwrap_or_default();
    let wrong = messages.lines().filter(|message| {
        let advice = advice(message);
        let mut words = advice.split('`').skip(1).step_by(2).peekable();
        words.peek().is_some() && !words.any(|word| stands_in(word, program))
    });
    wrong.map(str::to_owned).collect()
}

/// The first words of our notes that suggest code. Notes of the compiler suggest only what it
/// knows.
const ADVISING: [&str; 9] = [
    "an output is ",
    "arrays are those of ",
    "derive ",
    "implement ",
    "name ",
    "pass ",
    "return ",
    "take ",
    "write ",
];

/// Returns the part of a message that suggests code.
fn advice(message: &str) -> &str {
    let line = message.trim_start().trim_start_matches("= ");
    let note = ["note: ", "help: "].iter();
    let note = note.filter_map(|word| line.strip_prefix(word)).next();
    if let Some(note) = note
        && ADVISING.iter().any(|word| note.starts_with(word))
    {
        return note;
    }
    if note.is_none() && !message.starts_with("error") {
        return "";
    }
    let words = [" write `", "did you mean `"].iter();
    let from = words.filter_map(|words| Some(line.find(words)? + words.len() - 1));
    from.min().map_or("", |from| &line[from..])
}

/// Returns whether a program contains a suggestion. `_` and `State` match any name, and a
/// suggestion with `…` matches everything.
fn stands_in(word: &str, program: &str) -> bool {
    if word.contains('…') {
        return true;
    }
    let fixed = word.replace('_', "State");
    let mut parts = fixed.split("State");
    let first = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    program.match_indices(first).any(|(at, _)| {
        let mut left = program[at + first.len()..]
            .lines()
            .next()
            .unwrap_or_default();
        rest.iter().all(|part| {
            let found = left.find(part).map(|at| &left[at + part.len()..]);
            left = found.unwrap_or_default();
            found.is_some()
        })
    })
}

#[test]
fn suggested_code_must_occur_in_the_program() {
    let table = [
        ("error: no: write `u64`", "f: u64", true),
        ("error: no: write `u64`", "f: u32", false),
        ("error: `usize` is none", "u64", true),
        (
            "  = note: take an array such as `A2`, or `&Context`",
            "c: &Context",
            true,
        ),
        (
            "  = note: take an array such as `A2`, or `&Context`",
            "c: Context",
            false,
        ),
        (
            "  = note: return `Result<_, String>`",
            "-> Result<u8, String>",
            true,
        ),
        (
            "  = note: return `Result<_, String>`",
            "-> Result<u8, u8>",
            false,
        ),
        ("  = note: take `&mut State`", "s: &mut Sums", true),
        ("  = note: take `&mut State`", "s: Sums", false),
        ("help: the trait `A` is implemented for `B`", "", true),
        ("help: it is no input: write `&B`", "", false),
        ("  | let x = `take `", "", true),
    ];
    for (message, program, written) in table {
        let mut words = advice(message).split('`').skip(1).step_by(2).peekable();
        let found = words.peek().is_none() || words.any(|word| stands_in(word, program));
        assert_eq!(found, written, "{message}");
    }
}
