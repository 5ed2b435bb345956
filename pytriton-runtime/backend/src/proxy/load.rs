use std::process;
use std::sync::{Mutex, PoisonError};

/// A load of a model by this tritonserver, while one of its instances lives.
#[derive(Debug)]
pub(super) struct Load {
    number: u64,
}

#[derive(Debug)]
struct Entry {
    /// Identifies the model in Triton. Once all instances are gone, another model may have the same
    /// value.
    loaded_model: usize,
    number: u64,
    instances: usize,
}

#[derive(Debug)]
struct Loads {
    last: u64,
    alive: Vec<Entry>,
}

static LOADS: Mutex<Loads> = Mutex::new(Loads {
    last: 0,
    alive: Vec::new(),
});

impl Load {
    /// Registers an instance.
    pub(super) fn register(loaded_model: usize) -> Self {
        let mut loads = LOADS.lock().unwrap_or_else(PoisonError::into_inner);
        let mut alive = loads.alive.iter_mut();
        if let Some(entry) = alive.find(|entry| entry.loaded_model == loaded_model) {
            entry.instances += 1;
            return Self {
                number: entry.number,
            };
        }
        loads.last += 1;
        // A restarted server is another process.
        let number = (u64::from(process::id()) << 32) | loads.last;
        loads.alive.push(Entry {
            loaded_model,
            number,
            instances: 1,
        });
        Self { number }
    }

    /// Returns a number that is unique among all loads.
    pub(super) fn number(&self) -> u64 {
        self.number
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        let mut loads = LOADS.lock().unwrap_or_else(PoisonError::into_inner);
        let mut alive = loads.alive.iter_mut();
        if let Some(entry) = alive.find(|entry| entry.number == self.number) {
            entry.instances -= 1;
        }
        loads.alive.retain(|entry| entry.instances > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_lives_while_any_instance_does() {
        let first = Load::register(1);
        let (second, other) = (Load::register(1), Load::register(2));
        assert_eq!(first.number(), second.number());
        assert_ne!(first.number(), other.number());
        let number = first.number();
        drop(first);
        assert_eq!(Load::register(1).number(), number);
        drop(second);
        assert_ne!(Load::register(1).number(), number);
    }
}
