use super::super::{Function, Input, Model, PerRequest, Raw};
use super::tests::{batch, flaws, model};

fn ragged(dims: impl Into<Vec<i64>>) -> Model {
    model().input(Input::new::<i64>("tokens", dims).ragged())
}

#[test]
fn ragged_input_is_one_of_a_batch() {
    let raw = || Function::new(Raw, |_| Ok(Vec::<Result<Vec<_>, _>>::new()));
    for (model, function) in [
        (ragged([-1]), batch()),
        (ragged([-1]), raw()),
        (ragged([-1, 2]), raw()),
    ] {
        let spec = model.registration(&function).unwrap().spec;
        assert_eq!(spec.ragged_inputs, [1]);
    }

    let sample = || Function::new(PerRequest, |_| Ok(Vec::new()));
    let first = Input::new::<i64>("first", [-1]).ragged().first_value();
    let one_dim = "the rows of a `ragged` input have one dimension";
    let table: [(Model, Function, &str); 6] = [
        (ragged([2]), batch(), one_dim),
        (ragged([-1, 2]), batch(), one_dim),
        (
            ragged([-1]),
            sample(),
            "a `ragged` input has rows of several requests",
        ),
        (
            ragged([-1]).batching(false),
            sample(),
            "a `ragged` input has rows of several requests",
        ),
        (
            ragged([-1]).batching(false),
            raw(),
            "a `ragged` input has rows of several requests: remove `batching(false)`",
        ),
        (
            model().input(first),
            batch(),
            "`first_value` is one value for a whole batch",
        ),
    ];
    for (model, function, expected) in table {
        let found = flaws(model, function);
        assert!(
            found.iter().any(|flaw| flaw.starts_with(expected)),
            "{found:?} {expected}"
        );
    }
}
