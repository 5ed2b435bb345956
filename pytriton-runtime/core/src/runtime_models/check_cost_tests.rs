use super::super::{Function, Input, Model, PerRequest, Raw};
use super::tests::{batch, flaws, model};
use crate::decorators::PadBatch;

fn limited() -> Model {
    model().max_batch_cost(8).cost("x")
}

#[test]
fn cost_names_an_input_of_a_batch() {
    let spec = limited().registration(&batch()).unwrap().spec;
    assert_eq!(spec.cost_input, Some(0));
    assert_eq!(spec.call_options.cost_limit(), 8);
    let raw = Function::new(Raw, |_| Ok(Vec::<Result<Vec<_>, _>>::new()));
    assert_eq!(
        limited().registration(&raw).unwrap().spec.cost_input,
        Some(0)
    );
    assert_eq!(
        model().registration(&batch()).unwrap().spec.cost_input,
        None
    );

    let sample = || Function::new(PerRequest, |_| Ok(Vec::new()));
    let first = Input::new::<f32>("first", [1]).first_value();
    let table: [(Model, Function, &str); 8] = [
        (
            model().max_batch_cost(8),
            batch(),
            "`max_batch_cost`: the cost needs an input that is counted",
        ),
        (model().cost("x"), batch(), "`cost`: the cost needs a limit"),
        (
            limited().max_batch_cost(0),
            batch(),
            "`max_batch_cost`: expected a number of at least 1",
        ),
        (
            limited().dynamic_batching(false),
            batch(),
            "`max_batch_cost`: this option needs dynamic batching",
        ),
        (
            model().max_batch_cost(8).cost("z"),
            batch(),
            "`cost` names no input",
        ),
        (
            model().input(first).max_batch_cost(8).cost("first"),
            batch(),
            "`first_value` is one value for a whole batch",
        ),
        (limited(), sample(), "`cost` limits the requests of a call"),
        (
            limited().step(PadBatch),
            batch(),
            "model 'Model' limits the cost of its batches",
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
