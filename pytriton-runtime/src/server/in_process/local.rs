use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use pytriton_embedded::server::{EmbeddedError, checks, services};
use tokio::runtime::Handle;

use crate::HeaderForward;
use crate::access::Access;
use crate::engine::ChoiceError;
use crate::kserve::proto::decode_parameters;
use crate::logging;
use crate::memory_budget::MemoryPermit;
use crate::repository::{Model, ModelRepository, ModelResponses};
use crate::request::{InferInput, InferRequest, ParameterValue, Response};
use crate::server::{ServerError, Triton};
use crate::service::{AppState, Error};
use crate::uncounted::Uncounted;

use super::super::embedded::EmbeddedEngine;

/// Calls the models of a [`Triton`] from within its process, with tensors instead of encoded bytes.
///
/// [`stop`](Triton::stop) completes accepted requests and refuses new ones.
#[derive(Debug, Clone)]
pub struct Local {
    app_state: Arc<AppState>,
    workers: Handle,
}

impl Triton {
    /// Not public API. Used by `pytriton-python`.
    ///
    /// Loads the models if they are not served yet, opens no port, and returns a handle to call
    /// them. Needs the embedded engine.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), and if the tritonserver engine is requested, whose models are in
    /// another process.
    #[doc(hidden)]
    pub fn local(&self) -> Result<Local, ServerError> {
        let (models, workers) = self.loaded("a call to `local`")?;
        let limits = checks::limits(&self.options).map_err(EmbeddedError::from)?;
        // No request arrives through these services.
        let (http, _) = services(&models, limits, &self.options, &Access::default(), None);
        let app_state = AppState {
            forward: HeaderForward::default(),
            ..(*http).clone()
        };
        Ok(Local {
            app_state: Arc::new(app_state),
            workers,
        })
    }

    /// Not public API. Used by `pytriton-python`.
    ///
    /// Initializes logging if the process has not done so, like [`serve`](Self::serve). Spans are
    /// exported until the returned value is dropped.
    ///
    /// # Errors
    ///
    /// Returns [`ServerError::Traces`] if spans cannot be exported.
    #[doc(hidden)]
    pub fn log(&self) -> Result<Box<dyn Any + Send + Sync>, ServerError> {
        let settings = self.options.log_settings();
        let export = logging::init(&settings, self.options.traces_exporter);
        Ok(Box::new(export.map_err(ServerError::Traces)?))
    }

    /// Returns the models and the runtime of the embedded engine. If it is not running, starts it
    /// without ports.
    pub(super) fn loaded(
        &self,
        caller: &'static str,
    ) -> Result<(Arc<ModelRepository>, Handle), ServerError> {
        // Waits for a start in progress. The lock is held until the engine serves, so that a
        // concurrent call finds it.
        let models = self.lock_models();
        let supervisor = match self.serving() {
            Some(supervisor) => supervisor,
            None if self.extensions.router.is_some() => return Err(ChoiceError::NoPort.into()),
            None => self.start(&models, false)?.0,
        };
        drop(models);
        let Some(started) = supervisor.started() else {
            return Err(ServerError::NotReady { signal: caller });
        };
        let engine: &dyn Any = &*started.engine;
        match engine.downcast_ref() {
            Some(EmbeddedEngine { models, workers }) => Ok((Arc::clone(models), workers.clone())),
            None => Err(ChoiceError::Router.into()),
        }
    }
}

impl Local {
    /// Returns the model with this name and version. The default is the latest version.
    ///
    /// # Errors
    ///
    /// Returns the [`Error`] that a client would receive.
    pub fn model(&self, name: &str, version: Option<u32>) -> Result<Arc<Model>, Error> {
        let version = version.map(u64::from);
        Ok(self.app_state.models.model(name, version)?)
    }

    /// Creates a request from inputs and parameters. Some parameters have a special meaning, as
    /// over gRPC.
    ///
    /// # Errors
    ///
    /// Returns the [`Error`] that a client would receive for an invalid parameter.
    pub fn request(
        inputs: Vec<InferInput>,
        given: impl IntoIterator<Item = (String, ParameterValue)>,
    ) -> Result<InferRequest, Error> {
        let mut request = InferRequest::new(MemoryPermit::uncounted(Uncounted::OwnInputs));
        let given = given.into_iter();
        decode_parameters(
            given.map(|(name, value)| (name, value.into())),
            &mut request,
        )?;
        request.inputs = inputs;
        Ok(request)
    }

    /// Calls a model that is not decoupled.
    ///
    /// # Errors
    ///
    /// Returns the [`Error`] that a client would receive.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request.
    pub async fn infer(&self, model: &Model, request: InferRequest) -> Result<Response, Error> {
        self.app_state.infer(model, request).await
    }

    /// Calls any model. The responses arrive as they are produced.
    ///
    /// # Errors
    ///
    /// Returns the [`Error`] that a client would receive if the request is refused.
    pub async fn stream_infer(
        &self,
        model: &Arc<Model>,
        request: InferRequest,
    ) -> Result<ModelResponses, Error> {
        self.app_state.stream_infer(model, request).await
    }

    /// Blocks this thread on a future, for at most `time`. Returns `None` if the time runs out. The
    /// thread must not be a runtime thread.
    ///
    /// The timeout belongs to the thread, because a runtime that has shut down has no timers.
    pub fn wait<F: Future>(&self, time: Duration, mut future: Pin<&mut F>) -> Option<F::Output> {
        let _entered = self.workers.enter();
        let waker = Waker::from(Arc::new(Waiting(thread::current())));
        let mut context = Context::from_waker(&waker);
        let begun = Instant::now();
        loop {
            if let Poll::Ready(done) = future.as_mut().poll(&mut context) {
                return Some(done);
            }
            let left = time.checked_sub(begun.elapsed())?;
            // The wake-up may be spurious, so the loop polls again.
            thread::park_timeout(left);
        }
    }
}

/// Wakes a thread that waits for a future.
struct Waiting(Thread);

impl Wake for Waiting {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::pin::pin;

    use crate::engine::EngineChoice;
    use crate::registry::Registry;
    use crate::server::Options;
    use crate::testing::{IDENTITY, infer_request};

    use super::*;

    #[test]
    fn local_client_works_with_and_without_ports() {
        let mut options = Options::parse(["--http-port=0", "--grpc-port=0", "--metrics-port=0"]);
        let options = options.as_mut().unwrap();
        options.triton.engine = EngineChoice::Embedded;
        let triton = Triton::with(options.clone(), Registry::new(&[&IDENTITY]).unwrap());
        for ports in [false, true] {
            if ports {
                triton.run().unwrap();
            }
            let local = triton.local().unwrap();
            let model = local.model("Identity", None).unwrap();
            let ask = |rows| {
                let asked = pin!(local.infer(&model, infer_request(rows, 2.0)));
                local.wait(Duration::MAX, asked).unwrap()
            };
            let response = ask(1).unwrap();
            assert_eq!(
                response.outputs[0].1.elements::<f32>().unwrap().to_vec(),
                [2.0]
            );
            let error = ask(9).unwrap_err().to_string();
            assert!(error.contains("batch-size must be <= 8"), "{error}");
            assert!(local.model("Identity", Some(2)).is_err());
            triton.stop().unwrap();
            assert!(ask(1).is_err());
        }
    }

    #[test]
    fn concurrent_first_calls_share_one_engine() {
        for _ in 0..20 {
            let triton = Triton::with(
                Options::parse(["--engine=embedded"]).unwrap(),
                Registry::new(&[&IDENTITY]).unwrap(),
            );
            thread::scope(|scope| {
                // Both calls wait for the lock before either can start the engine.
                let held = triton.lock_models();
                let calls = [(); 2].map(|()| scope.spawn(|| triton.local().map(drop)));
                thread::sleep(Duration::from_millis(10));
                drop(held);
                for call in calls {
                    call.join().unwrap().unwrap();
                }
            });
        }
    }

    #[test]
    fn local_client_waits_at_most_for_the_timeout() {
        let triton = Triton::with(
            Options::parse(["--engine=embedded"]).unwrap(),
            Registry::new(&[&IDENTITY]).unwrap(),
        );
        let local = triton.local().unwrap();
        let mut never = pin!(pending::<()>());
        let time = Duration::from_millis(1);
        assert_eq!(local.wait(time, never.as_mut()), None);
        triton.stop().unwrap();
        assert_eq!(local.wait(time, never.as_mut()), None);
        assert_eq!(local.wait(time, pin!(async { 7 })), Some(7));
    }

    #[test]
    fn reserved_parameters_are_interpreted() {
        let number = ParameterValue::Int64;
        let given = [
            ("sequence_id", number(5)),
            ("sequence_start", true.into()),
            ("timeout", number(7)),
            ("mine", 0.5.into()),
        ];
        let given = given.map(|(name, value)| (name.to_owned(), value));
        let request = Local::request(Vec::new(), given).unwrap();
        assert!(request.sequence.unwrap().starts());
        assert_eq!(request.timeout_microseconds, 7);
        assert_eq!(request.parameters.double("mine"), Some(0.5));
        let wrong = [("sequence_id".to_owned(), true.into())];
        assert!(Local::request(Vec::new(), wrong).is_err());
    }
}
