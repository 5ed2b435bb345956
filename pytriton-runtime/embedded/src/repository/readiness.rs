use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use super::ModelRepository;

/// How often watches call the program's own check of the readiness.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// A watch of the server readiness for one client.
#[derive(Debug)]
pub(crate) struct ReadinessWatch {
    readiness: watch::Receiver<bool>,
    stopping: watch::Receiver<bool>,
    reported: Option<bool>,
}

impl ReadinessWatch {
    /// Returns the readiness at first, and then each time it changes. Returns `None` after the stop
    /// of the server has been reported.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe: no change is lost.
    pub(crate) async fn next(&mut self) -> Option<bool> {
        let reported = self.reported;
        let ready = tokio::select! {
            biased;
            _ = self.stopping.wait_for(|stopping| *stopping) => false,
            ready = self.readiness.wait_for(|ready| Some(*ready) != reported) => *ready.ok()?,
        };
        self.reported = Some(ready);
        (reported != Some(ready)).then_some(ready)
    }
}

impl ModelRepository {
    /// Watches the readiness of the server. One task serves all watches. It polls only the
    /// program's own check.
    pub(crate) fn watch_readiness(self: &Arc<Self>) -> ReadinessWatch {
        ReadinessWatch {
            readiness: self.published_readiness(),
            stopping: self.stopping.subscribe(),
            reported: None,
        }
    }

    /// Returns the readiness for all watches. It is computed once per change, regardless of their
    /// number.
    fn published_readiness(self: &Arc<Self>) -> watch::Receiver<bool> {
        let mut published = self.readiness.lock();
        // The task ends together with the runtime of the first watcher.
        if let Some(published) = &*published
            && published.has_changed().is_ok()
        {
            return published.clone();
        }
        // Subscribe before computing the readiness, so that no change is missed.
        let mut changes = self.readiness_changes().subscribe();
        let (sender, receiver) = watch::channel(self.ready());
        let models = Arc::downgrade(self);
        let polled = self.has_readiness_check();
        tokio::spawn(async move {
            let mut changed = async || match polled {
                true => timeout(CHECK_INTERVAL, changes.changed())
                    .await
                    .unwrap_or(Ok(())),
                false => changes.changed().await,
            };
            while changed().await.is_ok()
                && let Some(models) = models.upgrade()
            {
                let ready = models.ready();
                sender.send_if_modified(|before| std::mem::replace(before, ready) != ready);
            }
        });
        *published = Some(receiver.clone());
        receiver
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Context, Poll, Wake, Waker};
    use std::time::Duration;

    use pytriton_core::model::CallOptions;
    use pytriton_core::registry::{ModelDeclaration, ModelOptions, Registry};
    use pytriton_engine::Limits;
    use pytriton_engine::options::{ControlMode, ControlOptions};
    use tokio::time::{sleep, timeout};

    use crate::testing::{GATE, IDENTITY, request};

    use super::*;

    const DEADLINE: Duration = Duration::from_secs(10);

    async fn started(model: &ModelDeclaration) -> Arc<ModelRepository> {
        let control = ControlOptions {
            model_control_mode: ControlMode::Explicit,
            load_model: vec!["*".to_owned()],
            ..ControlOptions::default()
        };
        let registry = Registry::new(&[model]).unwrap();
        let models = ModelRepository::controlled(&registry, &Limits::default(), control).await;
        Arc::new(models.unwrap())
    }

    #[tokio::test]
    async fn every_watch_sees_an_instance_stall_and_recover_and_the_server_stop() {
        const LIMITED: CallOptions = CallOptions::DEFAULT.max_call(Duration::from_millis(10));
        let models = started(&ModelDeclaration {
            options: ModelOptions {
                call_options: LIMITED,
                ..IDENTITY.options
            },
            ..IDENTITY
        });
        let models = models.await;
        let mut watches: Vec<_> = (0..3).map(|_| models.watch_readiness()).collect();
        let gate = GATE.lock().await;
        let model = models.model("Identity", None).unwrap();
        let stalled = request(model.spec(), 1, -5.0);
        let stalled = tokio::spawn(async move { model.infer(stalled).await });
        let mut gate = Some(gate);
        for expected in [Some(true), Some(false), Some(true), Some(false), None] {
            match expected {
                Some(true) if watches[0].reported.is_some() => drop(gate.take()),
                Some(false) if gate.is_none() => models.stop_being_ready(),
                _ => {}
            }
            for watch in &mut watches {
                assert_eq!(timeout(DEADLINE, watch.next()).await.unwrap(), expected);
            }
        }
        assert_eq!(models.watch_readiness().next().await, Some(false));
        // The watchdog has responded instead of the stalled instance.
        stalled.await.unwrap().unwrap_err();
    }

    #[tokio::test]
    async fn readiness_changes_only_by_loading_and_unloading() {
        let models = started(&IDENTITY).await;
        let mut changes = models.readiness_changes().subscribe();
        assert!(models.ready() && !models.index(false).is_empty());
        assert!(!changes.has_changed().unwrap());
        models.unload_named("Identity").unwrap();
        timeout(DEADLINE, changes.changed()).await.unwrap().unwrap();
    }

    #[derive(Default)]
    struct WakeCount(AtomicUsize);

    impl Wake for WakeCount {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_watch_of_a_quiet_server_does_not_wake() {
        let models = started(&IDENTITY).await;
        let mut watch = models.watch_readiness();
        assert_eq!(watch.next().await, Some(true));
        let wakes = Arc::new(WakeCount::default());
        let waker = Waker::from(Arc::clone(&wakes));
        let mut context = Context::from_waker(&waker);
        let mut next = pin!(watch.next());
        assert!(next.as_mut().poll(&mut context).is_pending());
        sleep(Duration::from_secs(3600)).await;
        assert_eq!(wakes.0.load(Ordering::Relaxed), 0);
        models.stop_being_ready();
        assert!(wakes.0.load(Ordering::Relaxed) > 0);
        assert_eq!(next.as_mut().poll(&mut context), Poll::Ready(Some(false)));
    }
}
