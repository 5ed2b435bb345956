use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::handover::{Handover, Line, LineEnd, Results, Run, line};
use crate::model::ModelSpec;

/// Threads with instances of a model, and the way to whichever of them is free.
#[derive(Debug)]
pub(super) struct Pool {
    line: Line,
    pub(super) end: Arc<LineEnd>,
}

impl Pool {
    /// A pool for one instance.
    pub(super) fn new(spec: &ModelSpec) -> Arc<Self> {
        let (line, end) = line(spec.name);
        let end = Arc::new(end);
        Arc::new(Self { line, end })
    }

    /// The pool of all instances of a loaded model: Triton hands several batches to one of them while others are free.
    pub(super) fn shared(spec: &ModelSpec, loaded_model: usize) -> Arc<Self> {
        static POOLS: Mutex<BTreeMap<usize, Weak<Pool>>> = Mutex::new(BTreeMap::new());
        // Nothing under this lock panics half-way.
        let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
        pools.retain(|_, pool| pool.strong_count() > 0);
        if let Some(pool) = pools.get(&loaded_model).and_then(Weak::upgrade) {
            return pool;
        }
        let pool = Self::new(spec);
        pools.insert(loaded_model, Arc::downgrade(&pool));
        pool
    }
}

impl Run for Pool {
    fn run(&self, handed: Handover) -> Results {
        self.line.run(handed)
    }
}
