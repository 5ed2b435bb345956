use quote::quote;

use super::expand;
use crate::snapshot::{assert_expansion, messages};

#[test]
fn expansions_match_the_golden_files() {
    let table = [
        (
            "onnx",
            quote!(
                "../tests/onnx/files/pair.onnx",
                name = "Pair",
                max_batch_size = 8
            ),
            quote!(
                /// The sum and the difference.
                pub struct Pair;
            ),
        ),
        (
            "onnx_fixed",
            quote!(
                "../tests/onnx/files/fixed.onnx",
                name = "Fixed",
                crate = my::pytriton
            ),
            quote!(
                struct Fixed;
            ),
        ),
    ];
    for (name, attribute, item) in table {
        let expansion = expand(attribute, item).to_string();
        // The path of this crate differs between machines.
        let expansion = expansion.replace(env!("CARGO_MANIFEST_DIR"), "HERE");
        assert_expansion(name, expansion.parse().unwrap());
    }
}

#[test]
fn every_error_is_reported() {
    let usage = "expected the path of an ONNX file: write `#[pytriton::onnx(\"model.onnx\", name = \"…\")]`";
    let misplaced =
        "`#[pytriton::onnx]` must be on a `struct` without fields: write `struct Network;`";
    let network = quote!(
        struct Network;
    );
    let affine = quote!("../tests/onnx/files/affine.onnx", name = "N");
    let with = |file: &str, options| {
        let path = format!("../tests/onnx/files/{file}.onnx");
        quote!(#path, name = "N" #options)
    };
    let size = quote!(, max_batch_size = 4);
    let table = [
        (quote!(), network.clone(), vec![usage]),
        (quote!(name = "N"), network.clone(), vec![usage]),
        (quote!("a" "b"), network.clone(), vec!["expected `,`"]),
        (
            quote!("../tests/onnx/files/affine.onnx"),
            network.clone(),
            vec![
                "`name` is missing: write `#[pytriton::onnx(\"…\", name = \"…\")]` with the model's name",
            ],
        ),
        (
            quote!(
                "../tests/onnx/files/affine.onnx",
                name = "N",
                maxbatch_size = 1
            ),
            network.clone(),
            vec!["unknown option `maxbatch_size`; did you mean `max_batch_size`?"],
        ),
        (
            affine.clone(),
            quote!(
                fn network(x: ArrayView2<f32>) {}
            ),
            vec![misplaced],
        ),
        (
            affine.clone(),
            quote!(
                struct Network(u8);
            ),
            vec![misplaced],
        ),
        (
            affine.clone(),
            quote!(
                enum Network {}
            ),
            vec![misplaced],
        ),
        (
            affine,
            quote!(
                struct Network<T>;
            ),
            vec!["the struct of a network must not be generic: remove this"],
        ),
        (
            with("truncated", quote!()),
            network.clone(),
            vec![
                "`../tests/onnx/files/truncated.onnx`: expected a protobuf message, found invalid bytes at offset 15",
            ],
        ),
        (
            with("external", quote!()),
            network.clone(),
            vec![
                "weights of `../tests/onnx/files/external.onnx` are in another file: export the network with all weights in one file",
            ],
        ),
        (
            with("any_rank", quote!()),
            network.clone(),
            vec![
                "`../tests/onnx/files/any_rank.onnx`: `x` has an unknown number of dimensions: export it with a shape",
            ],
        ),
        (
            with("texts", quote!()),
            network.clone(),
            vec![
                "`../tests/onnx/files/texts.onnx`: `text: STRING [n]`: texts are not supported",
                "`../tests/onnx/files/texts.onnx`: `text: STRING [n]`: texts are not supported",
            ],
        ),
        (
            with("seven_dimensions", quote!()),
            network.clone(),
            vec![
                "`../tests/onnx/files/seven_dimensions.onnx`: `x: FLOAT [n, 1, 1, 1, 1, 1, 1]` has more than 6 dimensions",
                "`../tests/onnx/files/seven_dimensions.onnx`: `y: FLOAT [n, 1, 1, 1, 1, 1, 1]` has more than 6 dimensions",
            ],
        ),
        (
            with("nine_outputs", quote!()),
            network.clone(),
            vec!["`../tests/onnx/files/nine_outputs.onnx`: a model has at most 8 outputs, found 9"],
        ),
        (
            with("two_symbols", size.clone()),
            network.clone(),
            vec![
                "this option needs a batch, and axis 0 is not known to be one: axis 0 of `x: FLOAT [n, 2]` and of `y: FLOAT [m, 2]` may have different sizes: write `batching = true` if it is one, or remove this",
            ],
        ),
        (
            with("time", size.clone()),
            network.clone(),
            vec![
                "this option needs a batch, and axis 0 is not known to be one: axis 0 of `x: FLOAT [time, 1, 8]` is named `time`: expected a name such as `batch`: write `batching = true` if it is one, or remove this",
            ],
        ),
        (
            with("fixed", size),
            network.clone(),
            vec![
                "this option needs a batch, and axis 0 is not known to be one: axis 0 of `x: FLOAT [1, 4]` has no name: remove this",
            ],
        ),
        (
            with("fixed", quote!(, batching = true)),
            network.clone(),
            vec!["the network has no batch axis: axis 0 of `x: FLOAT [1, 4]` has no name"],
        ),
    ];
    for (attribute, item, expected) in table {
        assert_eq!(messages(expand(attribute, item)), expected);
    }
    for option in ["client", "sequence_batching", "max_candidate_sequences"] {
        let option = quote::format_ident!("{option}");
        let attribute = with("affine", quote!(, #option = direct));
        let message = messages(expand(attribute, network.clone())).remove(0);
        assert!(message.starts_with("unknown option"), "{message}");
    }
    let missing = messages(expand(quote!("nowhere.onnx", name = "N"), network)).remove(0);
    assert!(
        missing.starts_with("cannot read `nowhere.onnx` next to Cargo.toml: "),
        "{missing}"
    );
}

#[test]
fn batch_axis_is_that_of_the_file_or_the_option() {
    let table = [
        ("affine", quote!(), true),
        ("affine", quote!(, batching = false), false),
        ("fixed", quote!(), false),
        ("scalar", quote!(), false),
        ("two_symbols", quote!(), false),
        ("time", quote!(), false),
        ("time", quote!(, batching = true), true),
        (
            "two_symbols",
            quote!(, batching = true, max_batch_size = 4),
            true,
        ),
    ];
    for (file, options, batching) in table {
        let path = format!("../tests/onnx/files/{file}.onnx");
        let attribute = quote!(#path, name = "N" #options);
        let expansion = expand(
            attribute,
            quote!(
                struct N;
            ),
        );
        assert_eq!(messages(expansion.clone()), Vec::<String>::new());
        let text = expansion.to_string();
        assert_eq!(text.contains("batch : true"), batching, "{file}: {text}");
        assert_eq!(
            text.contains("batching : false"),
            !batching,
            "{file}: {text}"
        );
    }
}
