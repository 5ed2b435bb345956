use pytriton::client::Typed;
use pytriton::prelude::*;

struct Network;

#[pytriton::model(name = "Network")]
impl Network {
    #[load]
    fn load() -> Self {
        Self
    }

    #[infer]
    #[batch]
    fn infer(&self, x: ArrayView2<f32>) -> Array2<f32> {
        x.to_owned()
    }
}

fn ask(_: &Typed<Network>) {}

fn main() {}
//~ 6: #[pytriton::model(name = "Network", client = Network)]
