use std::sync::{Arc, mpsc};

use tokio::runtime::Handle;

use crate::call::{Context, Executed, Instance, ModelError, ResponseSink};
use crate::model::Warmup;
use crate::registry::Registration;
use crate::warmup::{WarmupSink, requests};

use super::{Instances, LoadedRunner, Runner};

impl LoadedRunner {
    /// Returns an instance that is loaded, supervised and warmed up.
    ///
    /// On failure `failed` is called with the cause, once or several times. For a call that does
    /// not return, another thread calls it.
    pub fn ready(
        model: &Registration,
        context: Context,
        runtime: Handle,
        instances: &Arc<Instances>,
        failed: impl Fn(ModelError) + Clone + Send + 'static,
    ) -> Option<Self> {
        let warm = Self::load(model, context, runtime).and_then(|loaded| match loaded {
            Self::Local(runner) => runner.warm(model, instances, &failed).map(Self::Local),
            Self::Movable(runner) => runner.warm(model, instances, &failed).map(Self::Movable),
        });
        warm.map_err(failed).ok()
    }
}

impl<I: Instance + ?Sized> Runner<I> {
    fn warm(
        self,
        model: &Registration,
        instances: &Arc<Instances>,
        failed: &(impl Fn(ModelError) + Clone + Send + 'static),
    ) -> Result<Self, ModelError> {
        let runner = self.supervised(instances)?;
        for warmup in &model.spec.warmups {
            runner.warm_up(model, warmup, failed)?;
        }
        // Until here a fatal error is only a failed load: instances that already serve continue.
        Ok(runner.with_health(instances.health()))
    }

    fn warm_up(
        &self,
        model: &Registration,
        warmup: &Warmup,
        failed: &(impl Fn(ModelError) + Clone + Send + 'static),
    ) -> Result<(), ModelError> {
        let spec = &model.spec;
        let context = self.context();
        let (name, number) = (Arc::clone(&spec.name), context.instance());
        let label = warmup.name.to_string();
        let failure = move |message: String| ModelError::Load {
            model: Arc::clone(&name),
            instance: number,
            message: format!("its warm-up '{label}' failed: {message}"),
        };
        let requests = requests(spec, warmup).map_err(|error| failure(error.to_string()))?;
        for _ in 0..warmup.count {
            let warmup_sink = Arc::new(WarmupSink::default());
            let needs_sink = spec.decoupled || spec.cancellable;
            let sink = needs_sink.then(|| Arc::clone(&warmup_sink) as Arc<dyn ResponseSink>);
            let (done, executed) = mpsc::channel();
            let (failed, failure) = (failed.clone(), failure.clone());
            let finish = move |executed: Executed| {
                let mut results = executed.results.into_iter();
                let error = results
                    .find_map(Result::err)
                    .or_else(|| warmup_sink.failure());
                let error = error.map(|error| failure(message(error)));
                if let Some(error) = &error {
                    // If the function does not return, nothing else reports this error.
                    failed(error.clone());
                }
                // The receiver is gone if the function did not return in time.
                let _ = done.send(error);
            };
            self.block_on(self.serve(&requests, &[], sink.as_ref(), finish));
            if let Ok(Some(error)) = executed.try_recv() {
                return Err(error);
            }
        }
        tracing::debug!(parent: context.logger(), warmup = &*warmup.name, "warmed up");
        Ok(())
    }
}

/// Returns the message of the function.
fn message(error: ModelError) -> String {
    match error {
        ModelError::Function { message, .. } => message,
        other => other.to_string(),
    }
}

#[cfg(test)]
#[path = "warm_up_tests.rs"]
mod tests;
