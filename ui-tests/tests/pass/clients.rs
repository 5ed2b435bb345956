//! Generated client types do not conflict with names of the user, and cause no lints.

#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    rust_2018_idioms
)]
#![forbid(non_camel_case_types, non_snake_case, unused, non_local_definitions)]

use pytriton::client::Typed;
use pytriton::prelude::*;

/// An alias with an elided lifetime.
pub type Rows<'a> = ArrayView2<'a, f32>;

/// A model whose client has another name.
#[pytriton::model(name = "Renamed", client = Other)]
#[batch]
pub fn renamed(x: Rows<'_>) -> Array2<f32> {
    x.to_owned()
}

/// A text of each row.
#[pytriton::model(name = "CalledTexts", client = Texts)]
#[batch]
pub fn texts(texts: Vec<String>) -> Array2<String> {
    Array2::from_shape_fn((texts.len(), 1), |(row, _)| texts[row].clone())
}

/// A text of each row, which callers may omit.
#[pytriton::model(name = "FilledTexts", client = Filled)]
#[fill_optionals(texts = "none")]
#[batch]
pub fn filled(texts: Vec<String>, x: Rows<'_>) -> Array2<f32> {
    &x + texts.len() as f32
}

/// Models without a type.
pub mod types {
    use pytriton::prelude::*;

    /// The name of a primitive type.
    #[pytriton::model(name = "Primitive")]
    #[batch]
    pub fn u8(x: ArrayView2<'_, u8>) -> Array2<u8> {
        let first: u8 = x[[0, 0]];
        Array2::from_elem(x.dim(), first)
    }
}

mod private {
    use pytriton::prelude::*;

    #[derive(pytriton::Outputs)]
    struct Hidden {
        y: Array2<f32>,
    }

    #[pytriton::model(name = "Hidden")]
    #[batch]
    fn hidden(x: ArrayView2<'_, f32>) -> Hidden {
        Hidden { y: x.to_owned() }
    }

    pub(crate) mod inner {
        use pytriton::prelude::*;

        #[derive(pytriton::Outputs)]
        pub(in super::super) struct Seen {
            pub(in super::super) y: Array2<f32>,
        }

        #[pytriton::model(name = "Seen", client = SeenModel)]
        #[batch]
        pub(in super::super) fn seen(x: ArrayView2<'_, f32>) -> Seen {
            Seen { y: x.to_owned() }
        }
    }

    /// Two models on one type.
    struct Twice;

    #[pytriton::model(name = "OneClient")]
    impl Twice {
        #[load]
        fn load() -> Self {
            Self
        }

        #[infer]
        fn one(&self, x: ArrayView2<'_, f32>) -> Array2<f32> {
            x.to_owned()
        }
    }

    #[pytriton::model(name = "Two", client = Two)]
    impl Twice {
        #[load]
        fn load_two() -> Self {
            Self
        }

        #[infer]
        pub(crate) fn two(&self, x: ArrayView2<'_, f32>) -> Array2<f32> {
            x.to_owned()
        }
    }
}

/// Calls each of the clients in turn.
pub fn ask(x: &Array2<f32>) -> Result<Array2<f32>, pytriton::client::ClientError> {
    use private::Two;
    use private::inner::SeenModel;

    #[pytriton::model(name = "Within", client = Within)]
    #[batch]
    fn within(x: Rows<'_>, by: Option<ArrayView2<'_, f32>>) -> Array2<f32> {
        by.map_or_else(|| x.to_owned(), |by| &x + &by)
    }

    let url = "http://127.0.0.1:1";
    let y = Typed::<Other>::connect(url)?.call(x)?;
    let y = Typed::<SeenModel>::connect(url)?.call(y)?.y;
    let y = Typed::<Two>::connect(url)?.call(y.view())?;
    let texts = Array2::from_elem((y.nrows(), 1), String::new());
    let texts = Typed::<Texts>::connect(url)?.call(texts)?;
    let y = Typed::<Filled>::connect(url)?.call(&texts, y)?;
    let y = Typed::<Filled>::connect(url)?.call(None, y)?;
    Typed::<Within>::connect(url)?.call(&y, None)
}

pub(crate) fn main() {}
