use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Weak};

use pytriton_backend::session::{Server, State};
use pytriton_core::instance::Change;
use pytriton_core::model::ModelSpec;

/// Which sessions of a model report that they serve.
///
/// A batch stays with the session that has accepted it. With one batch in flight, it waits there
/// until an instance takes the session. So if an instance stalls or ends, a session that waits in
/// its place must not accept batches that other instances could execute.
#[derive(Debug)]
pub(super) struct SessionStates {
    /// The instances of the model if each serves one session at a time, and 0 if all take the
    /// batches of all sessions.
    exclusive: usize,
    /// The instances that can execute batches.
    available: BTreeSet<u32>,
    /// Whether none will ever execute one again.
    broken: bool,
    served: BTreeMap<u32, Weak<Server>>,
    /// The other sessions, in the order in which instances take them.
    waiting: VecDeque<Weak<Server>>,
    /// Whether the instances are reported as not ready because the server is shutting down.
    stopping: bool,
}

impl SessionStates {
    /// Returns the states of a model whose instances have not started.
    pub(super) fn new(spec: &ModelSpec) -> Self {
        let exclusive = spec.call_options.batches_in_flight == 1;
        Self {
            exclusive: if exclusive {
                spec.instances.count() as usize
            } else {
                0
            },
            available: BTreeSet::new(),
            broken: false,
            served: BTreeMap::new(),
            waiting: VecDeque::new(),
            stopping: false,
        }
    }

    /// Adds a session.
    pub(super) fn enter(&mut self, server: &Arc<Server>) {
        if self.stopping {
            server.set_stopping();
        }
        self.waiting.push_back(Arc::downgrade(server));
        self.report();
    }

    /// Records that an instance serves a session.
    pub(super) fn serve(&mut self, instance: u32, server: &Arc<Server>) {
        self.waiting
            .retain(|other| other.as_ptr() != Arc::as_ptr(server));
        self.served.insert(instance, Arc::downgrade(server));
        self.report();
    }

    /// Records that an instance serves no session.
    pub(super) fn leave(&mut self, instance: u32) {
        self.served.remove(&instance);
        self.report();
    }

    /// Records what has become of an instance, or of all.
    pub(super) fn change(&mut self, change: Change) {
        match change.instance {
            Some(instance) if change.is_available => {
                self.available.insert(instance);
            }
            Some(instance) => {
                self.available.remove(&instance);
            }
            None => self.broken = !change.is_available,
        }
        self.report();
    }

    /// Reports all sessions as not ready from now on. Requests still run.
    pub(super) fn stop(&mut self) {
        self.stopping = true;
        self.servers().for_each(|server| server.set_stopping());
    }

    /// Ends all sessions after the batches they have accepted.
    pub(super) fn end(&self) {
        self.servers().for_each(|server| server.end());
    }

    fn servers(&self) -> impl Iterator<Item = Arc<Server>> {
        let all = self.served.values().chain(&self.waiting);
        all.filter_map(Weak::upgrade)
    }

    /// Reports the state of each session to tritonserver.
    fn report(&mut self) {
        let is_open = |server: &Weak<Server>| {
            let server = server.upgrade();
            server.is_some_and(|server| !server.is_closed())
        };
        self.waiting.retain(is_open);
        let any = !self.broken && !self.available.is_empty();
        let mut stalled = 0;
        for (instance, server) in &self.served {
            let available = self.available.contains(instance);
            set(server, any && available);
            stalled += usize::from(!available && is_open(server));
        }
        // Each instance that takes no session leaves one without an instance, unless it has one.
        let missing = self.exclusive.saturating_sub(self.available.len());
        let left_over = missing.saturating_sub(stalled);
        let served_next = self.waiting.len().saturating_sub(left_over);
        for (index, server) in self.waiting.iter().enumerate() {
            set(server, any && index < served_next);
        }
    }
}

fn set(server: &Weak<Server>, serves: bool) {
    if let Some(server) = server.upgrade() {
        server.set_state(match serves {
            true => State::Serving,
            false => State::Unavailable,
        });
    }
}
