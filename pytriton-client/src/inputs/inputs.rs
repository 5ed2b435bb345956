use pytriton_protocol::tensor::Tensor;

use crate::ClientError;
use crate::config::ModelConfig;

/// The tensors of a request, either all by name or all by position.
#[derive(Debug, Clone, PartialEq)]
pub struct Inputs(Kept);

#[derive(Debug, Clone, PartialEq)]
enum Kept {
    Named(Vec<(String, Tensor)>),
    Placed(Vec<Tensor>),
}

impl Inputs {
    pub(super) fn collect(
        inputs: impl IntoIterator<Item = Result<(Option<String>, Tensor), ClientError>>,
    ) -> Result<Self, ClientError> {
        let (mut named, mut placed) = (Vec::new(), Vec::new());
        for input in inputs {
            match input? {
                (Some(name), tensor) => named.push((name, tensor)),
                (None, tensor) => placed.push(tensor),
            }
        }
        match (named.is_empty(), placed.is_empty()) {
            (true, true) => Err(ClientError::inputs(
                "there are no inputs: pass at least one",
            )),
            (false, false) => Err(ClientError::inputs(
                "some inputs have names and others do not: pass all inputs by name, or all by position",
            )),
            (false, true) => Ok(Self(Kept::Named(named))),
            (true, false) => Ok(Self(Kept::Placed(placed))),
        }
    }

    /// Inputs by name; may be empty.
    pub(crate) fn of(named: Vec<(String, Tensor)>) -> Self {
        Self(Kept::Named(named))
    }

    /// Assigns names to the inputs; the names of positional inputs come from the model.
    pub(crate) fn named(self, model: &ModelConfig) -> Result<Vec<(String, Tensor)>, ClientError> {
        let placed = match self.0 {
            Kept::Named(named) => return Ok(named),
            Kept::Placed(placed) => placed,
        };
        let (given, most) = (placed.len(), model.inputs.len());
        if given > most && model.from_metadata {
            let model = &model.name;
            return Err(ClientError::inputs(format!(
                "model {model} of the server has {most} inputs, got {given} by position: pass them by name"
            )));
        }
        if given > most {
            let model = &model.name;
            return Err(ClientError::inputs(format!(
                "model {model} has {most} inputs, got {given} by position"
            )));
        }
        let names = model.inputs.iter().map(|input| input.name.clone());
        Ok(names.zip(placed).collect())
    }
}
