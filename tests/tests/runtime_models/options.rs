//! Options that change which calls a function receives.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pytriton::decorators::{FillOptional, PadBatch};
use pytriton::ndarray::Ix2;
use pytriton::runtime_models::{Function, Input, PerBatch};
use pytriton::testing;
use serde_json::json;

use crate::http::infer;
use crate::{Result, model};

#[test]
fn cached_response_is_not_computed_again() -> Result<()> {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let function = Function::new(PerBatch, move |call| {
        counted.fetch_add(1, Ordering::SeqCst);
        Ok(&call.array::<f32, Ix2>("x")? * 2.0)
    });
    let served = testing::serve(model("cached").response_cache(true), function)?;
    for (x, computed) in [(1.0, 1), (1.0, 1), (2.0, 2), (1.0, 2)] {
        assert_eq!(infer(served.http(), "cached", &[&[x]])?, json!([x * 2.0]));
        assert_eq!(calls.load(Ordering::SeqCst), computed);
    }
    Ok(())
}

#[test]
fn steps_fill_and_pad_the_batch() -> Result<()> {
    let function = Function::new(PerBatch, |call| {
        let (x, by) = (call.array::<f32, Ix2>("x")?, call.array::<f32, Ix2>("by")?);
        Ok(&x * &by + x.nrows() as f32 * 100.0)
    });
    let filled = model("filled")
        .input(Input::new::<f32>("by", [1]).optional())
        .preferred_batch_size([4])
        .step(FillOptional::<f32, _>::new("by", 3.0))
        .step(PadBatch);
    let served = testing::serve(filled, function)?;
    let got = infer(served.http(), "filled", &[&[1.0], &[2.0]])?;
    assert_eq!(got, json!([403.0, 406.0]));
    Ok(())
}
