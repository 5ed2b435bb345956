use pytriton::prelude::*;

#[pytriton::model(nam = "m", version = 0, preferred_batch_size = [9])]
#[batch]
#[sample]
#[output(name = "__y")]
unsafe fn f<T>(
    (a, b): (ArrayView2<T>, T),
    c: ArrayView1<f32>,
    d: &mut Parameters,
    #[input(name = "c", shape = [0, 1])] e: ArrayView2<u128>,
    g: f32,
) -> (Array1<f32>, Option<Array2<f32>>) {
    todo!()
}

fn main() {}
