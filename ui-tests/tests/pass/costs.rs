#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::{infer, spec, tensor};

const LIMIT: u64 = 5;

/// Returns the number of rows in the call.
#[pytriton::model(name = "Costs", max_batch_size = 8, max_batch_cost = LIMIT)]
#[cost(tokens)]
#[batch]
fn costs(
    mask: Option<ArrayView2<i64>>,
    #[input(name = "TOKENS")] tokens: ArrayView2<i64>,
) -> Array2<u32> {
    assert!(mask.is_none());
    Array2::from_elem((tokens.nrows(), 1), tokens.nrows() as u32)
}

#[pytriton::model(name = "RawCosts", max_batch_cost = 5)]
#[input(name = "mask", datatype = INT64, shape = [-1])]
#[input(name = "text", datatype = BYTES, shape = [1])]
#[cost(text)]
fn raw(requests: &[Request]) -> Vec<Array2<u32>> {
    let rows = requests.iter().map(Request::batch_size);
    rows.map(|rows| Array2::zeros((rows, 1))).collect()
}

pub(crate) fn main() {
    let costs = spec("Costs");
    assert_eq!(
        (costs.cost_input, costs.call_options.max_batch_cost),
        (Some(1), 5)
    );
    let raw = spec("RawCosts");
    assert_eq!(
        (raw.cost_input, raw.call_options.max_batch_cost),
        (Some(1), 5)
    );
    // The batch is split into calls, as if tritonserver had formed it.
    let tokens = |columns: usize| [("TOKENS", tensor::<i64>(&[1, columns], vec![0; columns]))];
    let calls = |columns: usize| {
        infer(
            "Costs",
            &[&tokens(columns), &tokens(columns), &tokens(columns)],
        )
    };
    let rows = |rows: [u32; 3]| rows.map(|rows| Ok(vec![tensor::<u32>(&[1, 1], [rows])]));
    assert_eq!(calls(1), rows([3, 3, 3]));
    assert_eq!(calls(2), rows([2, 2, 1]));
    assert_eq!(calls(7), rows([1, 1, 1]));
}
