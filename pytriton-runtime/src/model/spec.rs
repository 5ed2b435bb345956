use std::time::Duration;

use crate::tensor::DataType;

use super::{
    CallMode, DynamicBatching, Loader, Location, ModelDeclaration, OutputOverride, RegistryError,
    Step, TensorDeclaration,
};

/// A registered model: its declaration with every default filled in and every rule checked.
#[derive(Debug, Clone)]
pub struct ModelSpec {
    /// The model's name.
    pub name: &'static str,
    /// The model's version.
    pub version: u32,
    /// The largest batch; 0 for a model whose tensors have no batch axis.
    pub max_batch_size: u32,
    /// How many instances run in parallel.
    pub instances: u32,
    /// How many batches an instance has at a time.
    pub batches_in_flight: u32,
    /// How long a call of the function may take; `None` for any time.
    pub max_call: Option<Duration>,
    /// The inputs in the order of the function's parameters.
    pub inputs: Vec<TensorSpec>,
    /// The outputs in the order of the return type.
    pub outputs: Vec<TensorSpec>,
    /// How requests are gathered; `None` sends each request alone.
    pub dynamic_batching: Option<DynamicBatching>,
    /// Whether requests of the same inputs may be answered with one response.
    pub response_cache: bool,
    /// Names and values of whatever else the model's configuration says, each name once.
    pub parameters: &'static [(&'static str, &'static str)],
    /// What one call of the function sees.
    pub call: CallMode,
    /// What happens to a batch before the call.
    pub steps: &'static [Step],
    /// Makes an instance.
    pub load: Loader,
    /// Where the model stands in the user's source.
    pub location: Location,
}

/// An input or output of a registered model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorSpec {
    /// The tensor's name.
    pub name: &'static str,
    /// The element type.
    pub datatype: DataType,
    /// The dims without the batch axis, -1 for any size.
    pub dims: Vec<i64>,
    /// Whether a request may leave the tensor out.
    pub optional: bool,
}

impl ModelSpec {
    /// Checks a declaration and fills in what it leaves open.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Rank`] when a tensor's shape and rank do not go together, [`RegistryError::OutputCount`] when
    /// `#[output]` stands more or less often than there are outputs, [`RegistryError::DuplicateTensor`] for a name used
    /// twice, and [`RegistryError::Several`] for more than one of these.
    pub fn new(declaration: &ModelDeclaration) -> Result<Self, RegistryError> {
        let mut errors = Vec::new();
        let overrides = declaration.output_overrides;
        if !overrides.is_empty() && overrides.len() != declaration.outputs.len() {
            errors.push(RegistryError::OutputCount {
                model: declaration.name,
                location: declaration.location,
                expected: declaration.outputs.len(),
                got: overrides.len(),
            });
        }
        let outputs = declaration
            .outputs
            .iter()
            .enumerate()
            .map(|(index, output)| overridden(*output, overrides.get(index)));
        let spec = Self {
            name: declaration.name,
            version: declaration.version,
            max_batch_size: declaration.max_batch_size,
            instances: declaration.instances,
            batches_in_flight: declaration.batches_in_flight,
            max_call: Some(declaration.max_call_microseconds)
                .filter(|&microseconds| microseconds > 0)
                .map(Duration::from_micros),
            inputs: tensors(declaration, declaration.inputs.iter().copied(), &mut errors),
            outputs: tensors(declaration, outputs, &mut errors),
            dynamic_batching: declaration.dynamic_batching,
            response_cache: declaration.response_cache,
            parameters: declaration.parameters,
            call: declaration.call,
            steps: declaration.steps,
            load: declaration.load,
            location: declaration.location,
        };
        RegistryError::all(errors)?;
        Ok(spec)
    }

    /// Whether tensors have a batch axis.
    pub fn batching(&self) -> bool {
        self.max_batch_size > 0
    }

    /// The value of the parameter of that name.
    pub fn parameter(&self, name: &str) -> Option<&'static str> {
        let mut parameters = self.parameters.iter();
        let (_, value) = parameters.find(|(other, _)| *other == name)?;
        Some(value)
    }

    /// The dims of a tensor as clients see them: with -1 for the batch axis in front where there is one.
    pub fn client_dims(&self, tensor: &TensorSpec) -> Vec<i64> {
        let batch_axis = self.batching().then_some(-1);
        batch_axis
            .into_iter()
            .chain(tensor.dims.iter().copied())
            .collect()
    }

    /// The index of the input of that name.
    pub fn input_index(&self, name: &str) -> Option<usize> {
        self.inputs.iter().position(|input| input.name == name)
    }

    /// The index of the output of that name.
    pub fn output_index(&self, name: &str) -> Option<usize> {
        self.outputs.iter().position(|output| output.name == name)
    }
}

fn overridden(output: TensorDeclaration, with: Option<&OutputOverride>) -> TensorDeclaration {
    let Some(with) = with else { return output };
    TensorDeclaration {
        name: with.name.unwrap_or(output.name),
        shape: with.shape.or(output.shape),
        ..output
    }
}

/// The tensors in order; whatever is wrong with them goes to `errors`.
fn tensors(
    model: &ModelDeclaration,
    declarations: impl Iterator<Item = TensorDeclaration>,
    errors: &mut Vec<RegistryError>,
) -> Vec<TensorSpec> {
    let batching = model.max_batch_size > 0;
    let mut specs: Vec<TensorSpec> = Vec::new();
    for declaration in declarations {
        if specs.iter().any(|spec| spec.name == declaration.name) {
            errors.push(RegistryError::DuplicateTensor {
                model: model.name,
                location: model.location,
                tensor: declaration.name,
            });
        }
        if let Some(help) = declaration.flaw(batching) {
            errors.push(RegistryError::Rank {
                model: model.name,
                location: model.location,
                tensor: declaration.name,
                rank: declaration.rank,
                shape: declaration.shape,
                help,
            });
        }
        specs.push(TensorSpec {
            name: declaration.name,
            datatype: declaration.datatype,
            dims: dims(&declaration, batching),
            optional: declaration.optional,
        });
    }
    specs
}

/// The dims of a tensor without the batch axis.
fn dims(tensor: &TensorDeclaration, batching: bool) -> Vec<i64> {
    let rank = tensor.rank.unwrap_or_default();
    match tensor.shape {
        Some(shape) => shape.to_vec(),
        None => vec![-1; rank.saturating_sub(usize::from(batching))],
    }
}
