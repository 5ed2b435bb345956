//! Weights that are replaced while the model serves.

use std::sync::{Arc, PoisonError, RwLock};

use pytriton::error::CallError;
use pytriton::prelude::*;
use pytriton::testing::Loaded;

struct Weights(RwLock<Arc<Array2<f32>>>);

impl Weights {
    fn get(&self) -> Arc<Array2<f32>> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn set(&self, weights: Array2<f32>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(weights);
    }
}

#[pytriton::model(name = "Dense", client = Dense, max_batch_size = 32)]
#[batch]
fn dense(#[input(shape = [2])] x: ArrayView2<f32>, weights: &Arc<Weights>) -> Array2<f32> {
    x.dot(&*weights.get())
}

/// The train step of another program would call this.
#[pytriton::model(name = "Replace", client = Replace, batching = false)]
fn replace(#[input(shape = [2, 1])] new: Array2<f32>, weights: &Arc<Weights>) -> Array1<bool> {
    let changed = *weights.get() != new;
    weights.set(new);
    array![changed]
}

#[pytriton::test(server = |server| {
    server.state(Arc::new(Weights(RwLock::new(Arc::new(array![[1.0], [1.0]])))))
})]
async fn new_weights_are_used_at_once(
    dense: Call<Dense>,
    replace: Call<Replace>,
    loaded: &Loaded,
) -> Result<(), CallError> {
    let x = array![[1.0, 2.0]];
    assert_eq!(dense.call(&x).await?, array![[3.0]]);
    assert_eq!(replace.call(array![[0.0], [5.0]]).await?, array![true]);
    assert_eq!(dense.call(&x).await?, array![[10.0]]);
    assert!(loaded.triton().is_alive());
    Ok(())
}
