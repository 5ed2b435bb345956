//! A model that downloads something when it is loaded, and compiles something at its first call:
//! warm-up calls do so before the server is ready.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use pytriton::error::CallError;
use pytriton::prelude::*;

/// The calls of all instances.
static CALLS: AtomicU32 = AtomicU32::new(0);

struct Compiled {
    calls: Cell<u32>,
}

#[pytriton::model(name = "Compiled", client = CompiledModel, max_batch_size = 4, instances = 2)]
impl Compiled {
    #[load]
    async fn load() -> Result<Self, std::io::Error> {
        let calls = download(0).await?;
        Ok(Self {
            calls: Cell::new(calls),
        })
    }

    /// Returns the number of earlier calls of the instance.
    #[infer]
    #[batch]
    #[warmup(name = "one", inputs(x = zero([3])))]
    #[warmup(name = "full", batch_size = 4, inputs(x = random([3])))]
    fn infer(&self, #[input(shape = [3])] x: ArrayView2<f32>) -> Array2<u32> {
        CALLS.fetch_add(1, Ordering::Relaxed);
        let calls = self.calls.replace(self.calls.get() + 1);
        Array2::from_elem((x.nrows(), 1), calls)
    }
}

async fn download(calls: u32) -> std::io::Result<u32> {
    tokio::time::sleep(Duration::from_millis(1)).await;
    Ok(calls)
}

#[pytriton::test]
async fn each_instance_is_warm(model: Call<CompiledModel>) -> Result<(), CallError> {
    assert_eq!(CALLS.load(Ordering::Relaxed), 4);
    let calls = model.call(Array2::zeros((1, 3))).await?;
    assert!(calls[[0, 0]] >= 2, "{calls}");
    Ok(())
}
