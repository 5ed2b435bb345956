use pytriton::prelude::*;

type C<'a> = &'a Context;

#[derive(pytriton::Inputs)]
struct S<'a> {
    x: Array2<f32>,
    c: C<'a>,
}

#[model(name = "m")]
#[batch]
fn f(_s: S) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 8:
//~ 6: struct S {
//~ 13: fn f(_s: S, c: C) -> Array2<f32> {
