use quote::quote;

use super::expand;
use super::expand::expand_with;
use crate::snapshot::assert_expansion;

#[test]
fn the_derive_is_as_in_its_golden_file() {
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
fn what_clients_read_is_as_in_its_golden_file() {
    let item = quote! {
        struct Both {
            sum: Array2<f32>,
            r#type: ndarray::ArrayD<String>,
        }
    };
    assert_expansion("client_derive", expand_with(item, true));
}
