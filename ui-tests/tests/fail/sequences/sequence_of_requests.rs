use pytriton::prelude::*;

#[pytriton::model(name = "m", sequence_batching = direct)]
#[input(name = "x", datatype = FP32, shape = [1])]
fn f(_requests: &[Request], _sequence: &Sequence) -> Vec<Array2<f32>> {
    todo!()
}

fn main() {}

//~ 5: fn f(requests: &[Request]) -> Vec<Array2<f32>> {
//~ 6:     for request in requests { let _ = request.sequence(); }
//~ 6:     todo!()
