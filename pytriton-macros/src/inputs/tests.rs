use quote::quote;

use super::expand;
use crate::snapshot::{assert_expansion, messages};

#[test]
fn derive_expansion_matches_the_golden_file() {
    let item = quote! {
        #[input(crate = my::pytriton)]
        pub struct Sample<'a, 'b: 'a> {
            /// The pixels.
            #[input(name = "IMAGE", shape = [32, 32])]
            image: ArrayView3<'a, u8>,
            r#type: Option<ndarray::ArrayView2<'b, i32>>,
            #[first_value(strict = false)]
            scale: f32,
        }
    };
    assert_expansion("inputs", expand(item));
}

#[test]
fn every_error_is_reported() {
    let item = quote! {
        #[batch]
        struct Sample<T> {
            a: Array2<usize>,
            #[input(name = "a")]
            b: &Context,
            #[sequence]
            c: ArrayView2<'static, T>,
        }
    };
    let expected = [
        "`#[batch]` belongs on the function itself",
        "a struct of inputs must not be generic: write the types, such as `Array2<f32>`",
        "`usize` cannot be an element of a tensor: write `u64`",
        "a field must be an input: make `&Context` a parameter of the function",
        "`#[sequence]` belongs on a parameter: `#[sequence] state: &mut State`",
        "arguments are borrowed only for the call: remove `'static`",
        "two inputs are named `a`: write another `name = \"…\"`",
    ];
    assert_eq!(messages(expand(item)), expected);
}
