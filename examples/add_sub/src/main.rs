use pytriton::prelude::*;

#[derive(pytriton::Outputs)]
struct AddSub {
    add: Array2<f32>,
    sub: Array2<f32>,
}

#[pytriton::model(name = "AddSub", max_batch_size = 128)]
#[batch]
fn add_sub(a: ArrayView2<f32>, b: ArrayView2<f32>) -> Result<AddSub, String> {
    if a.dim() != b.dim() {
        return Err(format!("a is {:?} but b is {:?}", a.shape(), b.shape()));
    }
    Ok(AddSub {
        add: &a + &b,
        sub: &a - &b,
    })
}

pytriton::main!();
