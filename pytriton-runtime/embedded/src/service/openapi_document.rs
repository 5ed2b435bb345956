use std::sync::Arc;

use pytriton_core::model::ModelSpec;
use pytriton_core::offload::on_thread;
use pytriton_kserve::openapi::{ServedRoutes, document};
use tokio::sync::Mutex;

use super::cached_text::CachedText;

/// The number of bytes that take as long to write as the description of a model.
const BYTES_PER_MODEL: usize = 8 << 10;

/// The OpenAPI document. It is created once for all clients, and again when the models change.
#[derive(Debug)]
pub struct OpenApiDocument {
    routes: Arc<ServedRoutes>,
    text: Arc<Mutex<Option<Made>>>,
}

#[derive(Debug)]
struct Made {
    /// The models of the document. Keeping them ensures that no other model has the same address.
    models: Vec<Arc<ModelSpec>>,
    text: CachedText,
}

impl OpenApiDocument {
    /// Creates an empty cache for a server with these routes.
    pub fn new(routes: ServedRoutes) -> Self {
        Self {
            routes: Arc::new(routes),
            text: Arc::default(),
        }
    }

    /// Returns the document of these models.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the document is still completed and kept for others.
    pub(crate) async fn of(&self, models: Vec<Arc<ModelSpec>>) -> CachedText {
        let mut made = Arc::clone(&self.text).lock_owned().await;
        if let Some(made) = made.as_ref().filter(|made| made.is_of(&models)) {
            return made.text.clone();
        }
        let routes = Arc::clone(&self.routes);
        on_thread(models.len() * BYTES_PER_MODEL, move || {
            let document = document(models.iter().map(|spec| &**spec), &routes);
            let text = CachedText::new(document.to_string());
            let response = text.clone();
            *made = Some(Made { models, text });
            response
        })
        .await
    }
}

impl Made {
    fn is_of(&self, models: &[Arc<ModelSpec>]) -> bool {
        let mut pairs = self.models.iter().zip(models);
        self.models.len() == models.len() && pairs.all(|(one, other)| Arc::ptr_eq(one, other))
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Waker};
    use std::time::{Duration, Instant};

    use futures_util::future::join_all;
    use pytriton_core::registry::{ModelDeclaration, ModelOptions};
    use pytriton_engine::access::default_routes;
    use tokio::time::sleep;

    use crate::testing::IDENTITY;

    use super::*;

    #[tokio::test]
    async fn document_is_built_once_until_the_models_change() {
        let written = OpenApiDocument::new(default_routes());
        let first = Arc::new(IDENTITY.spec().unwrap());
        let second = ModelDeclaration {
            options: ModelOptions {
                version: 2,
                ..IDENTITY.options
            },
            ..IDENTITY
        };
        let second = Arc::new(second.spec().unwrap());
        let models = |count| vec![Arc::clone(&first), Arc::clone(&second)][..count].to_vec();
        let all = join_all((0..20).map(|_| written.of(models(1)))).await;
        for one in &all {
            assert_eq!(one.plain.as_ptr(), all[0].plain.as_ptr());
        }
        let other = written.of(models(2)).await;
        assert_ne!(other.plain, all[0].plain);
        let again = written.of(models(2)).await;
        assert_eq!(again.plain.as_ptr(), other.plain.as_ptr());
        assert_eq!(written.of(models(1)).await.plain, all[0].plain);
    }

    #[tokio::test]
    async fn document_is_completed_without_a_waiting_client() {
        let written = OpenApiDocument::new(default_routes());
        // The document of several models takes longer than the switch to another thread.
        let model = Arc::new(IDENTITY.spec().unwrap());
        let models = vec![model; 50];
        let begun = Instant::now();
        // Concurrent tests may occupy all threads, and work that has not started is dropped.
        for milliseconds in 1.. {
            let mut asked = Box::pin(written.of(models.clone()));
            let mut context = Context::from_waker(Waker::noop());
            let response = asked.as_mut().poll(&mut context);
            sleep(Duration::from_millis(milliseconds)).await;
            drop(asked);
            let mut made = written.text.lock().await;
            if response.is_ready() {
                // The other thread was faster than this one: the client did not leave.
                *made = None;
            } else if made.as_ref().is_some_and(|made| made.is_of(&models)) {
                return;
            }
            assert!(begun.elapsed() < Duration::from_secs(20));
        }
    }
}
