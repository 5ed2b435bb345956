use quote::quote;

use super::expand;
use super::expand::expand_with;
use crate::snapshot::assert_expansion;

#[test]
fn derive_expansion_matches_the_golden_file() {
    let item = quote! {
        struct Both {
            /// The sum.
            sum: Array2<f32>,
            #[output(name = "text", shape = [1], labels = include_str!("labels.txt"))]
            r#type: ndarray::ArrayD<String>,
        }
    };
    assert_expansion("derive", expand(item));
}

#[test]
fn client_derive_expansion_matches_the_golden_file() {
    let item = quote! {
        struct Both {
            sum: Array2<f32>,
            r#type: ndarray::ArrayD<String>,
        }
    };
    assert_expansion("client_derive", expand_with(item, true));
}
