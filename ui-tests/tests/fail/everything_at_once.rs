use pytriton::prelude::*;

#[pytriton::model(nam = "m", version = 0, preferred_batch_size = [9])]
#[batch]
#[sample]
#[output(name = "__y")]
unsafe fn f<T>(_: ArrayView2<T>, _b: ArrayView1<f32>, _c: &mut Parameters,
    #[input(name = "_b", shape = [0, 1])] _d: ArrayView2<u128>, _e: f32,
) -> (Array1<f32>, Option<Option<Array2<f32>>>) { todo!() }

fn main() {}

//~ 3: #[pytriton::model(name = "m", version = 1, preferred_batch_size = [4])]
//~ 5:
//~ 6: #[output(name = "y")]
//~ 6: #[output(name = "z")]
//~ 7: fn f(_x: ArrayView2<f32>, _b: ArrayView2<f32>, _c: &Parameters,
//~ 8:     #[input(name = "_d", shape = [1])] _d: ArrayView2<u64>, #[first_value] _e: f32,
//~ 9: ) -> (Array2<f32>, Option<Array2<f32>>) { todo!() }
