use std::sync::Arc;

use pytriton_core::model::ModelSpec;
use pytriton_kserve::openai::OpenAiError;

use crate::repository::{Model, ModelRepository};

use super::Upstream;

/// The models with OpenAI routes.
#[derive(Debug, Clone)]
pub enum TextModels {
    /// Models served by this process.
    Local(Arc<ModelRepository>),
    /// Models served by a tritonserver.
    Upstream(Arc<Upstream>),
}

/// A model with an OpenAI route. A request uses one for all its parts: its name may refer to another
/// model meanwhile.
#[derive(Debug, Clone)]
pub(super) enum TextModel {
    Local(Arc<Model>),
    Upstream(Arc<Upstream>, Arc<ModelSpec>),
}

impl TextModel {
    pub(super) fn spec(&self) -> &Arc<ModelSpec> {
        match self {
            Self::Local(model) => model.spec(),
            Self::Upstream(_, spec) => spec,
        }
    }
}

impl TextModels {
    /// Returns the latest version of a model, or `None` if it has no OpenAI route.
    pub(super) fn find(&self, name: &str) -> Result<Option<TextModel>, OpenAiError> {
        let latest = match self {
            Self::Local(models) => models.model(name, None).ok().map(TextModel::Local),
            Self::Upstream(upstream) => {
                let spec = upstream.latest(name)?.map(Arc::clone);
                spec.map(|spec| TextModel::Upstream(Arc::clone(upstream), spec))
            }
        };
        Ok(latest.filter(|model| model.spec().openai.is_some()))
    }

    /// Returns the names of all models.
    pub(super) fn names(&self) -> Result<Vec<Arc<str>>, OpenAiError> {
        Ok(match self {
            Self::Local(models) => {
                let models = models.models();
                names(models.iter().map(|model| model.spec()))
            }
            Self::Upstream(upstream) => names(upstream.loaded()?.into_iter()),
        })
    }
}

/// Returns the names of models whose latest version has OpenAI routes. The versions must be
/// ascending.
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
