use pytriton::prelude::*;

#[derive(Clone)]
struct Picture(u32);

#[pytriton::model(name = "Pixels")]
#[batch]
fn pixels(picture: ArrayView2<Picture>) -> Array2<u32> {
    picture.map(|picture| picture.0)
}

fn main() {}
//~ 4: struct Picture(u32);
//~ 4: impl pytriton::elements::BytesElement for Picture {
//~ 4:     fn decode(bytes: pytriton::elements::Bytes) -> Result<Self, pytriton::elements::ElementError> {
//~ 4:         Ok(Self(bytes.len() as u32))
//~ 4:     }
//~ 4:     fn encode(&self) -> Result<pytriton::elements::Bytes, pytriton::elements::ElementError> {
//~ 4:         Err("a picture is only an input".into())
//~ 4:     }
//~ 4: }
