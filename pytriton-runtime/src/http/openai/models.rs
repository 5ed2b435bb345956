use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::ModelSpec;
use crate::serving::ModelSet;

#[cfg(tritonserver)]
use super::Upstream;

/// The models that are behind OpenAI's routes.
#[derive(Debug, Clone)]
pub(crate) enum TextModels {
    /// Those that are served here.
    Here(Arc<ModelSet>),
    /// Those that a tritonserver serves.
    #[cfg(tritonserver)]
    There(Arc<Upstream>),
}

impl TextModels {
    /// The latest version of the model of that name; `None` where there is none for these routes.
    pub(super) fn find(&self, name: &str) -> Option<Arc<ModelSpec>> {
        match self {
            Self::Here(models) => {
                let model = models.model(name, None).ok()?;
                Some(Arc::clone(model.spec())).filter(|spec| spec.openai.is_some())
            }
            #[cfg(tritonserver)]
            Self::There(upstream) => {
                let mut loaded = upstream.loaded();
                loaded.retain(|spec| *spec.name == *name);
                loaded.pop().filter(|spec| spec.openai.is_some())
            }
        }
    }

    /// Whether there is any.
    pub(crate) fn any(&self) -> bool {
        !self.all().is_empty()
    }

    /// All of them, the latest version of each.
    pub(super) fn all(&self) -> BTreeMap<Arc<str>, Arc<ModelSpec>> {
        match self {
            Self::Here(models) => {
                let models = models.models();
                latest(models.iter().map(|model| Arc::clone(model.spec())))
            }
            #[cfg(tritonserver)]
            Self::There(upstream) => latest(upstream.loaded().into_iter()),
        }
    }
}

/// The latest version of each model, where that is for these routes.
fn latest(specs: impl Iterator<Item = Arc<ModelSpec>>) -> BTreeMap<Arc<str>, Arc<ModelSpec>> {
    // They come in the order of their versions.
    let specs = specs.map(|spec| (Arc::clone(&spec.name), spec));
    let mut latest: BTreeMap<_, _> = specs.collect();
    latest.retain(|_, spec: &mut Arc<ModelSpec>| spec.openai.is_some());
    latest
}
