use quote::quote;

use super::expand;
use crate::snapshot::{assert_expansion, messages};

#[test]
fn signature_file_expansion_matches_the_golden_file() {
    let expansion = expand(quote!("tests/lock/models.lock", "1st" = First)).to_string();
    // The path of this crate differs between machines.
    let here = env!("CARGO_MANIFEST_DIR");
    let expansion = expansion.replace(here, "HERE");
    assert_expansion("client", expansion.parse().unwrap());
}

#[test]
fn every_error_is_reported() {
    let table = [
        (
            quote!(),
            "expected the path of a lock file: write `pytriton::client!(\"…\");`",
        ),
        (
            quote!(models),
            "expected the path of a lock file: write `pytriton::client!(\"…\");`",
        ),
        (
            quote!("tests/lock/malformed.lock"),
            "`tests/lock/malformed.lock`, line 3: `datatype` is missing",
        ),
        (
            quote!("tests/lock/later.lock"),
            "`tests/lock/later.lock`, line 1: format 7 is not supported, only 1: rewrite the file, or use the version of pytriton that wrote it",
        ),
        (
            quote!("tests/lock/empty.lock"),
            "`tests/lock/empty.lock` has no models: write it with `<binary> list --format json`",
        ),
        (
            quote!("tests/lock/models.lock"),
            "the name of model `1st` cannot be the name of a Rust type: choose one here, `\"1st\" = MyModel`",
        ),
        (
            quote!("tests/lock/models.lock", "1st" = Linear),
            "models `1st` and `Linear` have the same Rust name `Linear`: rename one here, `\"Linear\" = OtherLinear`",
        ),
        (
            quote!("tests/lock/models.lock", "1st" = First, "2nd" = Second),
            "`tests/lock/models.lock` does not contain this model: remove this",
        ),
        (
            quote!("tests/lock/models.lock", "1st" = First, "1st" = Other),
            "`1st` is listed twice: remove one",
        ),
        (
            quote!("tests/lock/deep.lock", "deep" = Deep),
            "typed clients do not support `deep`, because it has more than 16 inputs or outputs, no output, or arrays of more than 6 dimensions: remove this",
        ),
        (
            quote!("tests/lock/models.lock", first),
            "expected the name of a model: write `\"…\" = MyModel`",
        ),
    ];
    for (tokens, expected) in table {
        assert_eq!(messages(expand(tokens)), [expected]);
    }
    let missing = messages(expand(quote!("models.lock"))).remove(0);
    assert!(
        missing.starts_with("cannot read `models.lock` next to Cargo.toml: "),
        "{missing}"
    );
}
