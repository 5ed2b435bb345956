//! The attribute of tests.

#[cfg(doc)]
use super::*;

/// Turns a function into a test that calls the models of this binary without opening ports.
///
/// The models are loaded for each test, with their queues, steps and limits. An `async` function
/// runs in the runtime of the engine. The function may return a `Result`, like any test, and has
/// these parameters, in any order:
///
/// | Type | Value |
/// | --- | --- |
/// | [`Call<M>`](Call) | calls the model with the option `client = M` |
/// | [`&Loaded`](crate::testing::Loaded) | the server |
///
/// # Options
///
/// - `server = |server| …` changes the [`Builder`], for example to provide a state.
/// - `start_paused = true` pauses the clock. It moves only when the test calls
///   [`testing::advance`](crate::testing), so queue delays and timeouts take no real time. Timers of
///   tokio, such as `sleep`, use the same clock; `max_call_microseconds` uses the real clock.
///   Requires an `async` test and the feature `test-util`.
/// - `crate = my::pytriton` sets the path of this crate.
///
/// # Examples
///
/// ```standalone_crate
/// use std::sync::Arc;
///
/// use pytriton::prelude::*;
///
/// struct Weights(f32);
///
/// #[pytriton::model(name = "Scale", client = Scale, max_batch_size = 8)]
/// #[batch]
/// fn scale(x: ArrayView2<f32>, weights: &Arc<Weights>) -> Array2<f32> {
///     &x * weights.0
/// }
///
/// #[pytriton::test(server = |server| server.state(Arc::new(Weights(2.0))))]
/// async fn rows_are_scaled(scale: Call<Scale>) -> Result<(), pytriton::error::CallError> {
///     assert_eq!(scale.call(array![[1.0], [2.0]]).await?, array![[2.0], [4.0]]);
///     Ok(())
/// }
/// ```
pub use pytriton_macros::test;
