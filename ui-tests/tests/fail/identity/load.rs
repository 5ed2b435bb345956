use pytriton::prelude::*;

struct Who;

#[pytriton::model(name = "Who")]
impl Who {
    #[load]
    fn load(_identity: &Identity) -> Self { Self }

    #[infer]
    #[batch]
    fn who(&self, x: ArrayView2<f32>) -> Array2<f32> {
        x.to_owned()
    }
}

fn main() {}
//~ 8:     fn load(_context: &Context) -> Self { Self }
