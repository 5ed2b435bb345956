use std::panic::{AssertUnwindSafe, catch_unwind};

use parking_lot::{Mutex, MutexGuard};
use pytriton_core::call::Executed;
use pytriton_core::instance::{InstanceGuard, MovableRunner};
use pytriton_core::panic::discard;
use pytriton_core::request::Request;

/// The instances of a model with `inline = true`. Their own threads and the connection threads call
/// them.
///
/// Only an [`InstancePermit`] can call an instance, and each instance has at most one. So calls of
/// an instance never overlap, and each call uses the state of its instance.
#[derive(Debug)]
pub(super) struct InstanceSlots(Box<[Slot]>);

/// An instance; `None` before it is loaded and after it has ended.
type Slot = Mutex<Option<Occupant>>;

#[derive(Debug)]
struct Occupant {
    runner: MovableRunner,
    guard: InstanceGuard,
}

/// Exclusive access to one instance.
#[derive(Debug)]
pub(super) struct InstancePermit<'a>(MutexGuard<'a, Option<Occupant>>);

/// Removes an instance from its slot on drop, once no call is running.
#[derive(Debug)]
pub(super) struct Occupied<'a>(&'a Slot);

impl InstanceSlots {
    /// Creates slots for that many instances.
    pub(super) fn new(instances: u32) -> Self {
        Self((0..instances).map(|_| Slot::default()).collect())
    }

    /// Puts an instance into its slot until the returned guard is dropped. Returns `None` if there
    /// is no such slot.
    pub(super) fn occupy(
        &self,
        number: u32,
        runner: MovableRunner,
        guard: InstanceGuard,
    ) -> Option<Occupied<'_>> {
        let slot = self.0.get(number as usize)?;
        *slot.lock() = Some(Occupant { runner, guard });
        Some(Occupied(slot))
    }

    /// Returns exclusive access to an idle instance, preferably number `first`. Returns `None` if
    /// all are in a call.
    ///
    /// Does not block.
    pub(super) fn try_acquire(&self, first: u32) -> Option<InstancePermit<'_>> {
        let preferred = InstancePermit::try_of(self.0.get(first as usize)?);
        preferred.or_else(|| self.0.iter().find_map(InstancePermit::try_of))
    }
}

impl<'a> InstancePermit<'a> {
    fn try_of(slot: &'a Slot) -> Option<Self> {
        let guard = slot.try_lock()?;
        guard.is_some().then(|| Self(guard))
    }

    /// Runs a batch. The instance is idle again when this returns.
    ///
    /// Returns `None` if user code panicked outside the function, for example in a destructor. The
    /// state is then unknown, and the instance ends.
    pub(super) fn execute(mut self, requests: &[Request]) -> Option<Executed> {
        let runner = &self.0.as_ref()?.runner;
        let executed = catch_unwind(AssertUnwindSafe(|| runner.execute_at_once(requests)));
        executed.unwrap_or_else(|panic| {
            discard(panic);
            if let Some(Occupant { runner, guard }) = self.0.take() {
                guard.end_in_panic();
                if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(runner))) {
                    discard(panic);
                }
            }
            None
        })
    }
}

impl Drop for Occupied<'_> {
    fn drop(&mut self) {
        // Waits for a running call. The instance is dropped without the lock.
        let occupant = self.0.lock().take();
        drop(occupant);
    }
}
