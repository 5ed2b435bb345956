use std::sync::Arc;

use crate::model::ModelSpec;
use crate::openai::OpenAiError;
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
    pub(super) fn find(&self, name: &str) -> Result<Option<Arc<ModelSpec>>, OpenAiError> {
        let latest = match self {
            Self::Here(models) => {
                let model = models.model(name, None).ok();
                model.map(|model| Arc::clone(model.spec()))
            }
            #[cfg(tritonserver)]
            Self::There(upstream) => upstream.latest(name)?.map(Arc::clone),
        };
        Ok(latest.filter(|spec| spec.openai.is_some()))
    }

    /// The names of all of them.
    pub(super) fn names(&self) -> Result<Vec<Arc<str>>, OpenAiError> {
        Ok(match self {
            Self::Here(models) => {
                let models = models.models();
                names(models.iter().map(|model| model.spec()))
            }
            #[cfg(tritonserver)]
            Self::There(upstream) => names(upstream.loaded()?.into_iter()),
        })
    }
}

/// Whether there is any among those that are served here.
pub(crate) fn has_texts(models: &ModelSet) -> bool {
    models.has(|spec| spec.openai.is_some())
}

/// The names of models whose latest version is for these routes, which come in the order of their versions.
fn names<'a>(specs: impl Iterator<Item = &'a Arc<ModelSpec>>) -> Vec<Arc<str>> {
    let mut specs = specs.peekable();
    let mut names = Vec::new();
    while let Some(spec) = specs.next() {
        let is_latest = specs.peek().is_none_or(|next| next.name != spec.name);
        if is_latest && spec.openai.is_some() {
            names.push(Arc::clone(&spec.name));
        }
    }
    names
}
