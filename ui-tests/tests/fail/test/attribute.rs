use pytriton::prelude::*;

#[pytriton::model(name = "Double", client = Double)]
#[batch]
fn double(x: ArrayView2<f32>) -> Array2<f32> {
    &x * 2.0
}

#[pytriton::test(servers = |servers| servers)]
async fn unknown_option(double: Call<Double>) {}

#[pytriton::test(start_paused = 1)]
async fn number(double: Call<Double>) {}

#[pytriton::test]
async fn generic<M>(double: Call<M>) {}

#[pytriton::test]
struct NotAFunction;

#[pytriton::test(start_paused = true)]
fn paused_without_async(double: Call<Double>) {}

fn main() {}
//~ 9: #[pytriton::test(server = |server| server)]
//~ 12: #[pytriton::test(start_paused = true)]
//~ 16: async fn generic(double: Call<Double>) {}
//~ 19: async fn a_function() {}
//~ 22: async fn paused_without_async(double: Call<Double>) {}
