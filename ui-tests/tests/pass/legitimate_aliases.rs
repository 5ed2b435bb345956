// Aliases of permitted argument and return types.
use pytriton::prelude::*;
use pytriton_ui_tests::spec;

type Replies = Vec<Array2<f32>>;
type Outcome<T> = Result<T, String>;
type Image = Array2<f32>;

mod inner {
    pub struct State(pub f32);
}

type StateAlias = inner::State;

#[pytriton::model(name = "Replies")]
#[input(name = "x", datatype = FP32, shape = [-1])]
fn replies(requests: &[Request]) -> Replies {
    requests.iter().map(|_| Array2::zeros((1, 1))).collect()
}

#[pytriton::model(name = "Outcome")]
#[input(name = "x", datatype = FP32, shape = [-1])]
fn outcome(_: &[Request]) -> Outcome<Replies> {
    Ok(Vec::new())
}

#[pytriton::model(name = "Images")]
fn images(x: Image) -> Outcome<(Image, Image)> {
    Ok((x.clone(), x))
}

#[pytriton::model(name = "Loaded")]
impl inner::State {
    #[load]
    fn load() -> self::StateAlias {
        inner::State(2.0)
    }

    #[infer]
    fn infer(self: &Self, x: Image, _: &Context) -> Image {
        x * self.0
    }
}

#[pytriton::model(name = "Tried")]
impl Tried {
    #[load]
    fn load(_: &Context) -> Result<self::Tried, String> {
        Ok(Self)
    }

    #[infer]
    fn infer(&self, #[input(name = "x")] _: Image, y: Image, _: &Parameters) -> Image {
        y
    }
}

struct Tried;

pub(crate) fn main() {
    for (name, outputs) in [
        ("Replies", 1),
        ("Outcome", 1),
        ("Images", 2),
        ("Loaded", 1),
        ("Tried", 1),
    ] {
        assert_eq!(spec(name).outputs.len(), outputs, "{name}");
    }
}
