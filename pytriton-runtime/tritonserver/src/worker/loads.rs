use std::fs::File;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use pytriton_core::call::ModelError;
use pytriton_core::instance::FatalError;
use pytriton_core::model::ModelSpec;
use pytriton_core::registry::Registration;
use pytriton_engine::side_channel::SideChannel;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::backend_batch::batch_queue;

use super::instance::{Loaded, spawn};
use super::session_end::SessionEnd;
use super::sessions::{OnEmpty, Sessions};

/// The interval of keep-alive messages to tritonserver while it waits. It gives up after a few
/// seconds.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(2);

/// How long tritonserver may take to reconnect after the last session of a load broke. It tries
/// twice a second.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The reason for refusing further sessions.
const STOPPING: &str = "the worker is stopping";

/// The instances of one model.
///
/// If clients load and unload models, there is one set per load that tritonserver has not dropped.
/// Otherwise there is a single permanent set.
#[derive(Debug)]
pub(super) struct Loads {
    registration: Registration,
    /// The folder of the version in the model repository, if each load creates new instances.
    folder: Option<PathBuf>,
    runtime: Handle,
    side_channel: Arc<SideChannel>,
    active: Mutex<ActiveLoads>,
    /// Held while instances are created.
    creation_lock: tokio::sync::Mutex<()>,
    /// Whether waiting for instances has been abandoned.
    aborted: watch::Sender<bool>,
    /// The fatal error of the model.
    fatal_error: watch::Sender<Option<FatalError>>,
}

#[derive(Debug, Default)]
struct ActiveLoads {
    loads: Vec<Load>,
    closed: bool,
}

/// The instances of one load. They end when it is dropped: their threads own the sessions, and so
/// the queue that each of them waits on.
#[derive(Debug)]
struct Load {
    /// tritonserver's number of the load; `None` until it connects to the instances created at
    /// startup.
    number: Option<u64>,
    sessions: Arc<Sessions>,
}

impl Drop for Load {
    fn drop(&mut self) {
        self.sessions.close();
    }
}

/// Instances that are being created.
#[derive(Debug)]
pub(super) struct PendingInstances {
    load: Load,
    instances: Result<Vec<Loaded>, ModelError>,
}

impl Loads {
    /// Returns a model without instances.
    pub(super) fn new(
        registration: &Registration,
        folder: Option<PathBuf>,
        side_channel: &Arc<SideChannel>,
    ) -> Arc<Self> {
        Arc::new(Self {
            registration: registration.clone(),
            folder,
            runtime: Handle::current(),
            side_channel: Arc::clone(side_channel),
            active: Mutex::default(),
            creation_lock: tokio::sync::Mutex::default(),
            aborted: watch::Sender::new(false),
            fatal_error: watch::Sender::new(None),
        })
    }

    /// Returns the description of the model.
    pub(super) fn spec(&self) -> &Arc<ModelSpec> {
        &self.registration.spec
    }

    /// Resolves to the fatal error of the model once one occurs.
    pub(super) fn broken(&self) -> impl Future<Output = Option<FatalError>> + Send + use<> {
        let mut fatal_error = self.fatal_error.subscribe();
        async move { fatal_error.wait_for(Option::is_some).await.ok()?.clone() }
    }

    /// Returns whether tritonserver has loaded the model, or is about to reconnect to it.
    pub(super) fn is_loaded(&self) -> bool {
        let active = self.active.lock();
        let mut loads = active.loads.iter();
        loads.any(|load| self.folder.is_none() || load.number.is_some())
    }

    /// Returns the sessions of all existing instances.
    pub(super) fn sessions(&self) -> Vec<Arc<Sessions>> {
        let active = self.active.lock();
        active
            .loads
            .iter()
            .map(|load| Arc::clone(&load.sessions))
            .collect()
    }

    /// Returns the maximum number of sessions of one load. Without model control there is no limit:
    /// clients cannot change the number of instances.
    pub(super) fn max_sessions(&self) -> usize {
        match self.folder {
            None => usize::MAX,
            Some(_) => self.spec().instances.count() as usize,
        }
    }

    /// Returns the error for a load with more instances than the model has.
    pub(super) fn too_many_sessions(&self) -> String {
        let instances = match self.spec().instances.count() {
            1 => "1 instance".to_owned(),
            count => format!("{count} instances"),
        };
        format!(
            "the model has {instances} in its process: 'instance_group' of a load can reduce this number, not increase it"
        )
    }

    /// Starts to create instances.
    pub(super) fn start_instances(self: &Arc<Self>) -> PendingInstances {
        let spec = self.spec();
        let (in_flight, instances) = (
            spec.call_options.batches_in_flight as usize,
            spec.instances.count() as usize,
        );
        let (batches, receiver) = batch_queue(in_flight.saturating_mul(instances));
        let own = Arc::downgrade(self);
        let on_empty: OnEmpty = match self.folder {
            None => Box::new(|_, _| {}),
            Some(_) => Box::new(move |sessions, session_end| {
                last_session_ended(&own, sessions, session_end)
            }),
        };
        let sessions = Sessions::new(
            Arc::clone(spec),
            &self.runtime,
            Arc::clone(&self.side_channel),
            batches,
            receiver,
            on_empty,
        );
        let (broken, own) = (sessions.instances.broken(), Arc::downgrade(self));
        self.runtime.spawn(async move {
            let fatal_error = broken.await;
            if let Some(own) = own.upgrade().filter(|_| fatal_error.is_some()) {
                own.fatal_error.send_replace(fatal_error);
            }
        });
        let instances = spawn(&sessions, &self.registration, &self.runtime);
        let failed = |error: std::io::Error| self.failed(0, &error.to_string());
        PendingInstances {
            instances: instances.map_err(failed),
            load: Load {
                number: None,
                sessions,
            },
        }
    }

    /// Waits until instances are created.
    pub(super) async fn finish_start(&self, pending: PendingInstances) -> Result<(), ModelError> {
        let PendingInstances { load, instances } = pending;
        for (number, mut loaded) in instances?.into_iter().enumerate() {
            let ended = || Err(self.failed(number, "its thread exited"));
            loaded.recv().await.unwrap_or_else(ended)?;
        }
        let mut active = self.active.lock();
        if active.closed {
            load.sessions.close();
        }
        active.loads.push(load);
        Ok(())
    }

    /// Returns the sessions for a load of tritonserver, and creates the instances if necessary.
    /// Blocks, and calls `wait` periodically.
    ///
    /// # Errors
    ///
    /// Returns the reason if they cannot be provided.
    pub(super) fn enter(
        self: &Arc<Self>,
        number: u64,
        mut wait: impl FnMut(),
    ) -> Result<Arc<Sessions>, String> {
        let mut aborted = self.aborted.subscribe();
        self.runtime.block_on(async {
            let (mut entered, mut aborted) = (
                pin!(self.find_or_create(number)),
                pin!(aborted.wait_for(|aborted| *aborted)),
            );
            loop {
                tokio::select! {
                    biased;
                    entered = &mut entered => return entered,
                    _ = &mut aborted => return Err(STOPPING.to_owned()),
                    () = sleep(KEEP_ALIVE_INTERVAL) => wait(),
                }
            }
        })
    }

    async fn find_or_create(self: &Arc<Self>, number: u64) -> Result<Arc<Sessions>, String> {
        let _creation = self.creation_lock.lock().await;
        if let Some(sessions) = self.find(number) {
            return Ok(sessions);
        }
        self.touch();
        if self.active.lock().closed {
            return Err(STOPPING.to_owned());
        }
        let created = self.finish_start(self.start_instances()).await;
        created.map_err(|error| error.to_string())?;
        self.find(number).ok_or_else(|| STOPPING.to_owned())
    }

    fn find(&self, number: u64) -> Option<Arc<Sessions>> {
        let mut active = self.active.lock();
        let fits = |load: &&mut Load| self.folder.is_none() || load.number == Some(number);
        if let Some(load) = active.loads.iter_mut().find(fits) {
            return Some(Arc::clone(&load.sessions));
        }
        let mut loads = active.loads.iter_mut();
        let fresh = loads.find(|load| load.number.is_none())?;
        fresh.number = Some(number);
        let sessions = Arc::clone(&fresh.sessions);
        drop(active);
        self.touch();
        Some(sessions)
    }

    /// Marks the model as changed. tritonserver reloads only what has changed.
    fn touch(&self) {
        let Some(folder) = &self.folder else {
            return;
        };
        let touched = File::open(folder).and_then(|folder| folder.set_modified(SystemTime::now()));
        if let Err(error) = touched {
            let folder = folder.display();
            tracing::warn!(%folder, %error, "cannot mark the model as changed, so tritonserver will not reload it");
        }
    }

    /// Abandons all waiting for instances: a function that creates one may never return.
    pub(super) fn abort_waiting(&self) {
        self.aborted.send_replace(true);
    }

    /// Ends all instances after the batches they have accepted. No others are created.
    pub(super) fn close(&self) {
        self.abort_waiting();
        let mut active = self.active.lock();
        active.closed = true;
        let sessions: Vec<_> = active
            .loads
            .iter()
            .map(|load| Arc::clone(&load.sessions))
            .collect();
        drop(active);
        for sessions in sessions {
            sessions.close();
        }
    }

    fn failed(&self, instance: usize, message: &str) -> ModelError {
        ModelError::Load {
            model: Arc::clone(&self.spec().name),
            instance: u32::try_from(instance).unwrap_or(u32::MAX),
            message: message.to_owned(),
        }
    }
}

/// Handles the end of the last session of a load. Its instances end too, unless tritonserver
/// reconnects.
fn last_session_ended(loads: &Weak<Loads>, sessions: &Arc<Sessions>, session_end: SessionEnd) {
    let Some(own) = loads.upgrade() else {
        return;
    };
    match session_end {
        SessionEnd::Closed => leave(loads, sessions),
        SessionEnd::Broken => {
            let opened = sessions.opened_if_empty();
            let (loads, sessions) = (Weak::clone(loads), Arc::downgrade(sessions));
            own.runtime.spawn(async move {
                sleep(RECONNECT_TIMEOUT).await;
                // A session that connected in the meantime gets the full time again when it breaks.
                let sessions = sessions.upgrade();
                if let Some(sessions) = sessions
                    .filter(|sessions| opened.is_some() && sessions.opened_if_empty() == opened)
                {
                    leave(&loads, &sessions);
                }
            });
        }
    }
}

/// Ends the instances of a load that tritonserver has dropped.
fn leave(loads: &Weak<Loads>, sessions: &Sessions) {
    let Some(loads) = loads.upgrade() else {
        return;
    };
    let dropped = |load: &mut Load| std::ptr::eq(Arc::as_ptr(&load.sessions), sessions);
    let mut active = loads.active.lock();
    if active.closed {
        // `Loads::close` ends all instances, and the worker still waits for them.
        return;
    }
    let left: Vec<Load> = active.loads.extract_if(.., dropped).collect();
    drop(active);
    drop(left);
}

#[cfg(test)]
mod tests {
    use pytriton_core::instance::Instances;
    use pytriton_core::testing::IDENTITY;
    use tokio::time::timeout;

    use super::*;

    async fn ended(instances: &Instances) {
        let ended = timeout(Duration::from_secs(5), instances.ended());
        ended.await.unwrap();
    }

    #[tokio::test]
    async fn instances_end_if_nothing_waits_for_their_start() {
        let model = IDENTITY.registration().unwrap();
        let loads = Loads::new(&model, None, &Arc::default());
        let mut pending = loads.start_instances();
        for loaded in pending.instances.as_mut().unwrap() {
            loaded.recv().await.unwrap().unwrap();
        }
        let instances = Arc::clone(&pending.load.sessions.instances);
        drop(pending);
        ended(&instances).await;
    }

    #[tokio::test]
    async fn instances_end_with_their_model() {
        let model = IDENTITY.registration().unwrap();
        let loads = Loads::new(&model, None, &Arc::default());
        loads.finish_start(loads.start_instances()).await.unwrap();
        let instances = Arc::clone(&loads.sessions()[0].instances);
        drop(loads);
        ended(&instances).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_reconnected_session_that_breaks_again_gets_the_full_timeout() {
        let folder = tempfile::tempdir().unwrap();
        let model = IDENTITY.registration().unwrap();
        let loads = Loads::new(&model, Some(folder.path().to_owned()), &Arc::default());
        loads.finish_start(loads.start_instances()).await.unwrap();
        let sessions = loads.find(7).unwrap();
        let come_and_break = || {
            assert!(sessions.register(1));
            sessions.leave(SessionEnd::Broken);
        };
        let second = Duration::from_secs(1);
        come_and_break();
        sleep(RECONNECT_TIMEOUT - second).await;
        come_and_break();
        sleep(RECONNECT_TIMEOUT - second).await;
        assert!(sessions.is_open());
        sleep(second * 2).await;
        assert!(!sessions.is_open());
    }
}
