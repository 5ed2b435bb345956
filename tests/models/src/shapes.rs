//! Ranks, names, optional inputs, several outputs, versions.

use pytriton::prelude::*;

#[derive(pytriton::Outputs)]
struct AddSub {
    add: Array2<f32>,
    sub: Array2<f32>,
}

#[pytriton::model(name = "AddSub", max_batch_size = 128)]
#[batch]
fn add_sub(a: ArrayView2<f32>, b: ArrayView2<f32>) -> AddSub {
    AddSub {
        add: &a + &b,
        sub: &a - &b,
    }
}

#[pytriton::model(name = "Opt", max_batch_size = 16)]
#[output(name = "o")]
#[batch]
fn optional(a: ArrayView2<f32>, b: Option<ArrayView2<f32>>) -> Array2<f32> {
    match b {
        Some(b) => &a + &b,
        None => &a + 2.0,
    }
}

#[pytriton::model(name = "Fixed", max_batch_size = 16)]
#[output(shape = [2, 3])]
#[batch]
fn fixed(#[input(name = "INPUT_1", shape = [2, 3])] input: ArrayView3<f32>) -> Array3<f32> {
    input.to_owned()
}

#[pytriton::model(name = "NoBatch", batching = false)]
fn no_batch(#[input(name = "INPUT_1")] input: ArrayView1<f32>) -> Array1<f32> {
    input.to_owned()
}

/// The sum and the number of elements of each row.
#[pytriton::model(name = "AnyRank", max_batch_size = 8)]
#[batch]
fn any_rank(#[input(shape = [-1, 2, -1])] x: ArrayViewD<i32>) -> (Array2<i32>, Array2<u64>) {
    let rows = || x.axis_iter(Axis(0));
    let sums: Array1<i32> = rows().map(|row| row.sum()).collect();
    let counts: Array1<u64> = rows().map(|row| row.len() as u64).collect();
    (sums.insert_axis(Axis(1)), counts.insert_axis(Axis(1)))
}

#[pytriton::model(name = "Owned", max_batch_size = 8)]
#[batch]
fn owned(mut x: Array2<f64>) -> Array2<f64> {
    x += 1.0;
    x
}

#[derive(pytriton::Outputs)]
struct Judged {
    #[output(labels = "no\nyes\nperhaps")]
    judgement: Array2<f32>,
    sum: Array2<f32>,
}

#[pytriton::model(name = "Judged", max_batch_size = 8)]
#[batch]
fn judged(#[input(shape = [3])] x: ArrayView2<f32>) -> Judged {
    let sum = x.sum_axis(Axis(1)).insert_axis(Axis(1));
    let judgement = x.to_owned();
    Judged { judgement, sum }
}

#[pytriton::model(name = "Versioned", version = 1, max_batch_size = 8)]
#[batch]
fn version_one(x: ArrayView2<i32>) -> Array2<i32> {
    x.mapv(|value| value + 1)
}

#[pytriton::model(name = "Versioned", version = 3, max_batch_size = 8)]
#[batch]
fn version_three(x: ArrayView2<i32>) -> Array2<i32> {
    x.mapv(|value| value + 3)
}
