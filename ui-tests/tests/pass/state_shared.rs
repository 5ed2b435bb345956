#![deny(warnings)]
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pytriton::prelude::*;
use pytriton_runtime::call::{Context, LoadedInstance};
use pytriton_ui_tests::{infer, registration, tensor};

struct Shared {
    calls: AtomicU64,
}

/// Any thread may call it.
#[pytriton::model(name = "Shared")]
impl Shared {
    #[load]
    fn load() -> Self {
        Self {
            calls: AtomicU64::new(0),
        }
    }

    #[infer]
    fn infer(&self, x: ArrayView2<u64>) -> Array2<u64> {
        &x + self.calls.fetch_add(1, Ordering::Relaxed)
    }
}

struct Moved {
    calls: Cell<u64>,
}

/// Any thread may call it, but only one at a time.
#[pytriton::model(name = "Moved", inline = true, instances = 2)]
impl Moved {
    #[load]
    fn load() -> Self {
        Self {
            calls: Cell::new(0),
        }
    }

    #[infer]
    fn infer(&self, x: ArrayView2<u64>) -> Array2<u64> {
        &x + self.calls.get()
    }
}

struct Own {
    calls: Rc<Cell<u64>>,
}

/// It stays on its thread.
#[pytriton::model(name = "Own")]
impl Own {
    #[load]
    fn load() -> Self {
        Self {
            calls: Rc::new(Cell::new(0)),
        }
    }

    #[infer]
    fn infer(&self, x: ArrayView2<u64>) -> Array2<u64> {
        &x + self.calls.get()
    }
}

pub(crate) fn main() {
    for (name, any_thread) in [("Shared", true), ("Moved", true), ("Own", false)] {
        let model = registration(name);
        assert_eq!(model.spec.call_options.inline, name == "Moved");
        let context = Context::new(Arc::clone(&model.spec), 0);
        let loaded = (model.load)(&context).unwrap_or_else(|error| panic!("{error}"));
        let movable = matches!(loaded, LoadedInstance::Movable(_));
        assert_eq!(movable, any_thread, "{name}");
    }
    let inputs = [("x", tensor::<u64>(&[1, 1], [10]))];
    let expected = [10, 11].map(|x| Ok(vec![tensor::<u64>(&[1, 1], [x])]));
    assert_eq!(infer("Shared", &[&inputs, &inputs]), expected);
}
