#![deny(warnings)]
use pytriton::config::ModelSpec;
use pytriton::decorators::{Batch, ConstantPadder, Groups, Step};
use pytriton::prelude::*;
use pytriton::{Error, Tensor};
use pytriton_ui_tests::{infer, spec, tensor};

/// Returns the number of rows in the call, and its other arguments.
#[pytriton::model(name = "Filled", max_batch_size = 8)]
#[fill_optionals(scale = 2.0, shift = [1.0, 2.0], word = "none")]
#[group_by_keys]
#[batch]
fn filled(
    x: ArrayView2<f32>,
    scale: ArrayView2<f32>,
    #[input(name = "SHIFT", shape = [2])] shift: ArrayView2<f32>,
    word: Array2<String>,
) -> (Array2<f32>, Array2<String>) {
    (&x * &scale + &shift, word)
}

/// Returns the sum of the rows in the call.
#[pytriton::model(name = "Grouped", max_batch_size = 8)]
#[batch]
#[group_by_values(key, pad_fn = ConstantPadder::new(0))]
fn grouped(key: ArrayView2<u8>, x: ArrayView2<i32>) -> Array2<i32> {
    let width = usize::from(key[[0, 0]]);
    Array2::from_elem((x.nrows(), width), x.sum())
}

#[pytriton::model(name = "Padded", max_batch_size = 8, preferred_batch_size = [2, 4])]
#[batch]
#[pad_batch]
fn padded(x: ArrayView2<i32>) -> Array2<i32> {
    Array2::from_elem((x.nrows(), 1), x.nrows() as i32)
}

/// A decorator that calls the function for each row and adds a number.
#[derive(Debug)]
struct Alone {
    added: i32,
}

impl Step for Alone {
    fn cut(&self, batch: &Batch<'_>) -> Result<Groups, Error> {
        Ok((0..batch.rows()).map(|row| vec![row]).collect())
    }

    fn finish(
        &self,
        _: &ModelSpec,
        rows: usize,
        outputs: &mut [Option<Tensor>],
    ) -> Result<(), Error> {
        for output in outputs.iter_mut().flatten() {
            let elements = output.elements::<i32>()?;
            let elements = elements
                .iter()
                .map(|element| element + self.added)
                .collect();
            *output = Tensor::from_elements(vec![rows, 1], elements)?;
        }
        Ok(())
    }
}

#[pytriton::model(name = "OwnSteps", max_batch_size = 8)]
#[batch]
#[step(Alone { added: 100 })]
fn own(x: ArrayView2<i32>) -> Array2<i32> {
    &x * x.nrows() as i32
}

pub(crate) fn main() {
    let floats = |values: &[f32]| tensor::<f32>(&[1, values.len()], values);
    let filled = spec("Filled");
    let optional: Vec<bool> = filled.inputs.iter().map(|input| input.optional).collect();
    assert_eq!(optional, [false, true, true, true]);
    let word = |word: &str| tensor::<String>(&[1, 1], [word.to_owned()]);
    assert_eq!(
        infer(
            "Filled",
            &[
                &[("x", floats(&[1.0, 1.0]))],
                &[("x", floats(&[0.0, 0.0])), ("word", word("a"))]
            ]
        ),
        [
            Ok(vec![floats(&[3.0, 4.0]), word("none")]),
            Ok(vec![floats(&[1.0, 2.0]), word("a")]),
        ]
    );

    let ints = |values: &[i32]| tensor::<i32>(&[values.len(), 1], values);
    let keys = |values: &[u8]| tensor::<u8>(&[values.len(), 1], values);
    assert_eq!(
        infer(
            "Grouped",
            &[
                &[("key", keys(&[1, 2])), ("x", ints(&[10, 20]))],
                &[("key", keys(&[2])), ("x", ints(&[3]))],
            ]
        ),
        [
            Ok(vec![tensor::<i32>(&[2, 2], [10, 0, 23, 23])]),
            Ok(vec![tensor::<i32>(&[1, 2], [23, 23])]),
        ]
    );

    let sizes = [(1, 2), (2, 2), (3, 4), (5, 8)];
    for (rows, called) in sizes {
        assert_eq!(
            infer("Padded", &[&[("x", ints(&vec![7; rows]))]]),
            [Ok(vec![ints(&vec![called; rows])])]
        );
    }
    assert_eq!(
        infer("OwnSteps", &[&[("x", ints(&[1, 2]))], &[("x", ints(&[3]))]]),
        [Ok(vec![ints(&[101, 102])]), Ok(vec![ints(&[103])])]
    );
}
