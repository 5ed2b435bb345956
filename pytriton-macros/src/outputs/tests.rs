use quote::quote;

use super::expand;
use crate::snapshot::assert_expansion;

#[test]
fn derive_expansion_matches_the_golden_file() {
    let item = quote! {
        struct Both {
            /// The sum.
            sum: Array2<f32>,
            #[output(name = "text", shape = [1], labels = include_str!("labels.txt"))]
            r#type: ndarray::ArrayD<String>,
            extra: Option<Array2<u8>>,
        }
    };
    assert_expansion("derive", expand(item));
}
