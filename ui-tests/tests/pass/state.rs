#![deny(warnings)]
#![forbid(unsafe_code)]
use std::cell::Cell;
use std::rc::Rc;

use pytriton::prelude::*;
use pytriton_ui_tests::{infer, spec, tensor};

struct Counter {
    calls: Rc<Cell<u64>>,
}

#[pytriton::model(name = "CounterState", instances = 2)]
impl Counter {
    const STEP: u64 = 1;

    #[load]
    fn load() -> Self {
        Self {
            calls: Rc::new(Cell::new(0)),
        }
    }

    #[infer]
    fn infer(&self, x: ArrayView2<u64>) -> Array2<u64> {
        self.count();
        &x + self.calls.get()
    }

    fn count(&self) {
        self.calls.set(self.calls.get() + Self::STEP);
    }
}

/// A state that is created asynchronously.
struct Fetched(u64);

#[pytriton::model(name = "FetchedState")]
impl Fetched {
    #[load]
    async fn load(context: &Context) -> Result<Self, String> {
        let instance = std::future::ready(context.instance()).await;
        Ok(Self(u64::from(instance) + 5))
    }

    #[infer]
    fn infer(&self, x: ArrayView2<u64>) -> Array2<u64> {
        &x + self.0
    }
}

pub(crate) fn main() {
    assert_eq!(spec("CounterState").instances.count(), 2);
    let inputs = [("x", tensor::<u64>(&[1, 1], [10]))];
    let expected = [11, 12].map(|x| Ok(vec![tensor::<u64>(&[1, 1], [x])]));
    assert_eq!(infer("CounterState", &[&inputs, &inputs]), expected);
    let expected = Ok(vec![tensor::<u64>(&[1, 1], [15])]);
    assert_eq!(infer("FetchedState", &[&inputs]), [expected]);
}
