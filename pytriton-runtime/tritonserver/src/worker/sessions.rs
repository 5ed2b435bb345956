use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use pytriton_backend::session::Server;
use pytriton_core::instance::{Change, Instances};
use pytriton_core::model::{ModelSpec, QueuePolicy};
use pytriton_engine::side_channel::SideChannel;
use tokio::runtime::Handle;

use crate::backend_batch::{BatchReceiver, BatchSender, refuse};

use super::serve::read;
use super::session_end::SessionEnd;
use super::session_states::SessionStates;
use super::streams::Streams;
use super::work::Activity;

/// Slightly more than the half second after which tritonserver 2.51 checks again for a free
/// instance, if the model has a queue policy.
const QUEUE_POLICY_DELAY: Duration = Duration::from_millis(750);

/// The tritonserver sessions of one model, and the instances that serve them.
pub(super) struct Sessions {
    pub(super) spec: Arc<ModelSpec>,
    pub(super) work: Arc<Activity>,
    /// Runs `async` functions and timers.
    pub(super) runtime: Handle,
    /// Responses in flight, for a decoupled model.
    pub(super) streams: Streams,
    /// The requests of this process that await responses.
    pub(super) side_channel: Arc<SideChannel>,
    open: Mutex<OpenSessions>,
    /// The queue of sessions for a free instance, with one batch in flight.
    waiting: Mutex<Receiver<Arc<Server>>>,
    /// The state that each session reports. Lock order: this lock is acquired while the instances
    /// are locked for a change, never the other way round.
    states: Mutex<SessionStates>,
    pub(super) instances: Arc<Instances>,
    /// The queue of batches for a free instance, with several in flight.
    pub(super) batches: Arc<BatchReceiver>,
    on_empty: OnEmpty,
}

/// Called when the last session has ended, with the way it ended.
pub(super) type OnEmpty = Box<dyn Fn(&Arc<Sessions>, SessionEnd) + Send + Sync>;

#[derive(Debug)]
struct OpenSessions {
    /// How new sessions reach instances; `None` once no more are accepted.
    new_sessions: Option<NewSessions>,
    /// The number of open sessions.
    count: usize,
    /// The number of sessions opened so far.
    opened: u64,
}

#[derive(Debug)]
enum NewSessions {
    /// A free instance takes the session.
    Session(Sender<Arc<Server>>),
    /// Any instance takes the session's batches.
    Batches(BatchSender),
}

impl Sessions {
    /// Creates an empty set. `batches` is the queue to the instances, used with several batches in
    /// flight.
    pub(super) fn new(
        spec: Arc<ModelSpec>,
        runtime: &Handle,
        side_channel: Arc<SideChannel>,
        batches: BatchSender,
        receiver: BatchReceiver,
        on_empty: OnEmpty,
    ) -> Arc<Self> {
        Arc::new_cyclic(|own: &Weak<Self>| {
            let (sender, waiting) = channel();
            let new_sessions = match spec.call_options.batches_in_flight {
                1 => NewSessions::Session(sender),
                _ => NewSessions::Batches(batches),
            };
            let own = own.clone();
            let changed = move |change| {
                if let Some(own) = own.upgrade() {
                    own.changed(change);
                }
            };
            Self {
                work: Activity::new(),
                runtime: runtime.clone(),
                streams: Streams::default(),
                side_channel,
                open: Mutex::new(OpenSessions {
                    new_sessions: Some(new_sessions),
                    count: 0,
                    opened: 0,
                }),
                waiting: Mutex::new(waiting),
                states: Mutex::new(SessionStates::new(&spec)),
                instances: Instances::new(Arc::clone(&spec.name), changed),
                batches: Arc::new(receiver),
                on_empty,
                spec,
            }
        })
    }

    /// Returns whether no batch has run for `time` plus the longest batching delay since `since`.
    pub(super) fn is_idle(&self, since: Instant, time: Duration) -> bool {
        // Once batches are refused, none can be delayed by batching.
        let delay = match self.work.is_refused() {
            true => Duration::ZERO,
            false => longest_wait(&self.spec),
        };
        self.work.is_idle(since, delay.saturating_add(time))
    }

    /// Returns how long a sequence may be idle before tritonserver gives its slot to a waiting
    /// request.
    pub(super) fn sequence_idle(&self) -> Duration {
        let batching = self.spec.sequence_batching();
        let idle = batching.map(|batching| batching.options.max_sequence_idle_microseconds);
        Duration::from_micros(idle.unwrap_or_default())
    }

    /// Reports the instances as not ready from now on. Requests still run.
    pub(super) fn stop_being_ready(&self) {
        self.states.lock().stop();
    }

    /// Returns whether sessions are accepted.
    pub(super) fn is_open(&self) -> bool {
        self.open.lock().new_sessions.is_some()
    }

    /// Registers a new session, which must then enter or leave. Returns false if there are already
    /// `most`.
    pub(super) fn register(&self, most: usize) -> bool {
        let mut open = self.open.lock();
        let accepted = open.count < most;
        open.count += usize::from(accepted);
        open.opened += u64::from(accepted);
        accepted
    }

    /// Returns the number of sessions opened so far if none is open, otherwise `None`.
    pub(super) fn opened_if_empty(&self) -> Option<u64> {
        let open = self.open.lock();
        (open.count == 0).then_some(open.opened)
    }

    /// Adds a registered session. Ends it if no more sessions are accepted.
    pub(super) fn enter(self: &Arc<Self>, server: Server) {
        let server = Arc::new(server);
        self.states.lock().enter(&server);
        let open = self.open.lock();
        let entered = match &open.new_sessions {
            // This value owns the receiver.
            Some(NewSessions::Session(waiting)) => waiting.send(server).is_ok(),
            Some(NewSessions::Batches(batches)) => {
                let (sessions, batches) = (Arc::clone(self), batches.clone());
                let name = format!("{}_batches", self.spec.name);
                let reader = thread::Builder::new().name(name);
                let spawned = reader.spawn(move || read(&server, &sessions, &batches));
                if let Err(error) = &spawned {
                    // The session ends with its server, and the peer tries again.
                    let model = &*self.spec.name;
                    tracing::warn!(model, %error, "cannot start a thread for a session with tritonserver");
                }
                spawned.is_ok()
            }
            None => false,
        };
        drop(open);
        if !entered {
            self.leave(SessionEnd::Closed);
        }
    }

    /// Records the end of a session.
    pub(super) fn leave(self: &Arc<Self>, session_end: SessionEnd) {
        let mut open = self.open.lock();
        open.count = open.count.saturating_sub(1);
        let last = open.count == 0;
        drop(open);
        if last {
            (self.on_empty)(self, session_end);
        }
    }

    /// Returns the next session for an instance, or `None` if there will be none.
    pub(super) fn next(&self) -> Option<Arc<Server>> {
        self.waiting.lock().recv().ok()
    }

    /// Records that an instance serves a session until the returned guard is dropped.
    pub(super) fn serve(&self, instance: u32, server: &Arc<Server>) -> Serving<'_> {
        self.states.lock().serve(instance, server);
        Serving {
            sessions: self,
            instance,
        }
    }

    /// Ends all sessions after the batches they have accepted.
    pub(super) fn close(&self) {
        self.open.lock().new_sessions = None;
        self.states.lock().end();
    }

    /// Reports the availability of instances to tritonserver. Changes arrive one at a time, so the
    /// last report about an instance that stalls and recovers is that it recovered.
    fn changed(&self, change: Change) {
        self.states.lock().change(change);
        refuse(&self.batches, change.availability);
    }
}

/// Marks an instance as serving a session until dropped.
#[derive(Debug)]
pub(super) struct Serving<'a> {
    sessions: &'a Sessions,
    instance: u32,
}

impl Drop for Serving<'_> {
    fn drop(&mut self) {
        self.sessions.states.lock().leave(self.instance);
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions")
            .field("model", &self.spec.name)
            .finish_non_exhaustive()
    }
}

/// Returns how long tritonserver may delay a request although an instance is free.
fn longest_wait(spec: &ModelSpec) -> Duration {
    let Some(batcher) = &spec.batcher else {
        return Duration::ZERO;
    };
    let policies =
        batcher.options.priority_levels > 0 || batcher.queue_policy != QueuePolicy::DEFAULT;
    let delay = Duration::from_micros(batcher.options.max_queue_delay_microseconds);
    match policies {
        true => delay.saturating_add(QUEUE_POLICY_DELAY),
        false => delay,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;
    use std::sync::atomic::{AtomicBool, Ordering};

    use pytriton_backend::session::{Client, Hello, Token};
    use pytriton_core::model::{Batcher, BatcherOptions, InstanceGroup, SequenceScheduling};
    use pytriton_core::registry::{ModelDeclaration, ModelOptions};
    use pytriton_core::testing::IDENTITY;
    use tokio::runtime::Runtime;

    use crate::backend_batch::{batch_queue, welcome};

    use super::*;

    #[test]
    fn opening_sessions_while_instances_change_does_not_deadlock() {
        let spec = Arc::new(IDENTITY.spec().unwrap());
        let runtime = Runtime::new().unwrap();
        let (batches, receiver) = batch_queue(1);
        let on_empty: OnEmpty = Box::new(|_, _| {});
        let sessions = Sessions::new(
            spec,
            runtime.handle(),
            Arc::default(),
            batches,
            receiver,
            on_empty,
        );
        let over = Arc::new(AtomicBool::new(false));
        let changing = {
            let (sessions, over) = (Arc::clone(&sessions), Arc::clone(&over));
            thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    drop(sessions.instances.enter(0));
                }
            })
        };
        let (registered, all_registered) = channel();
        let coming = thread::spawn(move || {
            for _ in 0..500 {
                let (ours, _theirs) = UnixStream::pair().unwrap();
                let server = Server::open(ours, &welcome(&sessions.spec), || {}).unwrap();
                assert!(sessions.register(usize::MAX));
                sessions.enter(server);
                assert!(sessions.next().is_some());
            }
            registered.send(()).unwrap();
        });
        // If they lock in different orders, they deadlock.
        all_registered
            .recv_timeout(Duration::from_secs(60))
            .unwrap();
        over.store(true, Ordering::Relaxed);
        changing.join().unwrap();
        coming.join().unwrap();
    }

    /// Adds a session; the client is tritonserver's side of it.
    fn session(sessions: &Arc<Sessions>) -> Client {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let hello = Hello {
            token: Token([7; 16]),
            model: sessions.spec.name.to_string(),
            version: 1,
            load: 0,
        };
        let greeting = thread::spawn(move || Client::handshake(theirs, &hello, || {}).unwrap().0);
        Hello::receive(&mut ours).unwrap();
        let server = Server::open(ours, &welcome(&sessions.spec), || {}).unwrap();
        assert!(sessions.register(usize::MAX));
        sessions.enter(server);
        greeting.join().unwrap()
    }

    const TWO: &[InstanceGroup] = &[InstanceGroup::cpu(2)];

    #[test]
    fn a_session_is_ready_only_if_an_instance_takes_its_batches() {
        let runtime = Runtime::new().unwrap();
        let (batches, receiver) = batch_queue(1);
        let declaration = ModelDeclaration {
            options: ModelOptions {
                instances: TWO,
                ..IDENTITY.options
            },
            ..IDENTITY
        };
        let spec = Arc::new(declaration.spec().unwrap());
        let sessions = Sessions::new(
            spec,
            runtime.handle(),
            Arc::default(),
            batches,
            receiver,
            Box::new(|_, _| {}),
        );
        let first = sessions.instances.enter(0);
        let second = sessions.instances.enter(1);
        let clients: [Client; 3] = std::array::from_fn(|_| session(&sessions));
        let ready = |index: usize| clients[index].is_ready();
        // A session may wait for an instance that serves another one.
        assert!(ready(0) && ready(1) && ready(2));
        let servers = [0, 1].map(|_| sessions.next().unwrap());
        let serving = sessions.serve(0, &servers[0]);
        let ending = sessions.serve(1, &servers[1]);
        assert!(ready(0) && ready(1) && ready(2));
        // One of them ends, and its session with it. No instance takes the one that waits.
        servers[1].close();
        drop((ending, second));
        assert!(ready(0) && !ready(2));
        // It takes the place of the first one.
        servers[0].close();
        drop(serving);
        let last = sessions.next().unwrap();
        let serving = sessions.serve(0, &last);
        assert!(ready(2));
        let third = sessions.instances.enter(1);
        assert!(ready(2));
        sessions.stop_being_ready();
        assert!(!ready(2));
        drop((first, third, serving));
    }

    #[test]
    fn the_longest_wait_includes_batching_and_queue_policies() {
        let delayed = |sequences, milliseconds| {
            let mut batcher = Batcher::DYNAMIC;
            batcher.sequences = sequences;
            let delay = Duration::from_millis(milliseconds);
            batcher.options = BatcherOptions::DEFAULT.max_queue_delay(delay);
            batcher
        };
        let mut bounded = Batcher::DYNAMIC;
        bounded.queue_policy = QueuePolicy::DEFAULT.max_queue_size(5);
        let table = [
            (Batcher::DYNAMIC, 0),
            (delayed(None, 200), 200),
            (bounded, 750),
            (delayed(Some(SequenceScheduling::Direct), 300), 300),
            (delayed(Some(SequenceScheduling::Oldest), 100), 100),
        ];
        for (batcher, milliseconds) in table {
            let mut spec = IDENTITY.spec().unwrap();
            spec.batcher = Some(batcher);
            let wait = Duration::from_millis(milliseconds);
            assert_eq!(longest_wait(&spec), wait);
        }
    }
}
