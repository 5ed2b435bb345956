//! State that belongs to one instance.

use std::cell::Cell;
use std::thread;
use std::time::Duration;

use pytriton::prelude::*;

struct Counter {
    instance: u32,
    calls: Cell<u64>,
}

#[pytriton::model(name = "Counter", max_batch_size = 1, instances = 2)]
impl Counter {
    #[load]
    fn load(context: &Context) -> Result<Self, String> {
        Ok(Self {
            instance: context.instance(),
            calls: Cell::new(0),
        })
    }

    /// The instance, and the number of its calls.
    #[infer]
    #[batch]
    fn count(&self, milliseconds: ArrayView2<u32>) -> (Array2<u32>, Array2<u64>) {
        let longest = milliseconds.iter().copied().max().unwrap_or_default();
        thread::sleep(Duration::from_millis(longest.into()));
        self.calls.set(self.calls.get() + 1);
        let shape = (milliseconds.nrows(), 1);
        (
            Array2::from_elem(shape, self.instance),
            Array2::from_elem(shape, self.calls.get()),
        )
    }
}

/// The index of the instance, and its device.
#[pytriton::model(name = "Placed", max_batch_size = 1, instances = [cpu(2)])]
#[batch]
fn placed(
    /// How long the call takes.
    milliseconds: ArrayView2<u32>,
    context: &Context,
) -> (Array2<u32>, Array2<String>) {
    let longest = milliseconds.iter().copied().max().unwrap_or_default();
    thread::sleep(Duration::from_millis(longest.into()));
    let shape = (milliseconds.nrows(), 1);
    (
        Array2::from_elem(shape, context.instance()),
        Array2::from_elem(shape, context.device().to_string()),
    )
}
