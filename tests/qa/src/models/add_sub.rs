//! The sum and the difference of two inputs.

use pytriton::prelude::*;

macro_rules! add_sub {
    ($name:literal, $function:ident, $element:ty) => {
        #[pytriton::model(name = $name, max_batch_size = 8)]
        #[batch]
        #[output(name = "OUTPUT0", shape = [16])]
        #[output(name = "OUTPUT1", shape = [16])]
        fn $function(
            #[input(name = "INPUT0", shape = [16])] a: ArrayView2<$element>,
            #[input(name = "INPUT1", shape = [16])] b: ArrayView2<$element>,
        ) -> (Array2<$element>, Array2<$element>) {
            (&a + &b, &a - &b)
        }
    };
}

add_sub!("simple", simple, i32);
add_sub!("simple_int8", simple_int8, i8);
add_sub!("addsub", vertex_ai, i32);
add_sub!("sm_model", sagemaker, i32);

/// The same for decimal numbers in `BYTES`.
#[pytriton::model(name = "simple_string", max_batch_size = 8)]
#[batch]
#[output(name = "OUTPUT0", shape = [16])]
#[output(name = "OUTPUT1", shape = [16])]
fn simple_string(
    #[input(name = "INPUT0", shape = [16])] a: ArrayView2<String>,
    #[input(name = "INPUT1", shape = [16])] b: ArrayView2<String>,
) -> Result<(Array2<String>, Array2<String>), Box<dyn std::error::Error>> {
    let combine = |operation: fn(i64, i64) -> i64| {
        let pairs = a.iter().zip(&b);
        let elements = pairs.map(|(a, b)| Ok(operation(a.parse()?, b.parse()?).to_string()));
        let elements = elements.collect::<Result<Vec<_>, std::num::ParseIntError>>()?;
        Ok::<_, Box<dyn std::error::Error>>(Array2::from_shape_vec(a.raw_dim(), elements)?)
    };
    Ok((combine(|a, b| a + b)?, combine(|a, b| a - b)?))
}
