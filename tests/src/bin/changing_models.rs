//! Models that are loaded and unloaded. Each load creates a new state; one model fails to load
//! while a file exists.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use std::{env, thread};

use pytriton::prelude::*;

static LOADS: AtomicU32 = AtomicU32::new(0);
static DROPS: AtomicU32 = AtomicU32::new(0);

/// Returns the number of its load, the number of dropped states, and its input. A negative input is
/// a delay in milliseconds.
struct Numbered(u32);

#[pytriton::model(name = "Numbered", max_batch_size = 4)]
impl Numbered {
    #[load]
    fn load(_context: &Context) -> Self {
        Self(LOADS.fetch_add(1, Ordering::SeqCst))
    }

    #[infer]
    #[batch]
    fn infer(&self, x: ArrayView2<i32>) -> (Array2<i32>, Array2<i32>, Array2<i32>) {
        let longest = x.iter().copied().min().unwrap_or_default().min(0);
        thread::sleep(Duration::from_millis(longest.unsigned_abs().into()));
        let all = |number: u32| Array2::from_elem(x.dim(), number.cast_signed());
        (x.to_owned(), all(self.0), all(DROPS.load(Ordering::SeqCst)))
    }
}

impl Drop for Numbered {
    fn drop(&mut self) {
        DROPS.fetch_add(1, Ordering::SeqCst);
    }
}

/// Fails to load while the file in the environment variable exists.
struct Moody;

#[pytriton::model(name = "Moody", max_batch_size = 4)]
impl Moody {
    #[load]
    fn load(_context: &Context) -> Result<Self, String> {
        let file = env::var("MOODY").unwrap_or_default();
        match Path::new(&file).exists() {
            true => Err("the weights are missing".to_owned()),
            false => Ok(Self),
        }
    }

    #[infer]
    #[batch]
    fn infer(&self, x: ArrayView2<i32>) -> Array2<i32> {
        x.to_owned()
    }
}

#[pytriton::model(name = "Plain", max_batch_size = 4)]
#[batch]
fn plain(x: ArrayView2<i32>) -> Array2<i32> {
    x.to_owned()
}

pytriton::main!();
