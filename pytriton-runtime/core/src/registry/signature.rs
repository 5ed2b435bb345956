use crate::model::{Argument, CallMode, Declared, FirstValue, TensorDeclaration};
use crate::tensor::ElementCheck;

/// The parameters of a model's function, with the effects of its decorators.
#[derive(Debug, Clone, Copy)]
pub struct Signature {
    /// The parameters, in order.
    pub arguments: &'static [Argument],
    /// Whether the function is under `#[batch]`.
    pub batch: bool,
    /// Whether the function has any steps.
    pub decorated: bool,
    /// Whether the function streams its responses.
    pub decoupled: bool,
    /// The inputs of a function that takes `&[Request]`.
    pub declared: &'static [TensorDeclaration],
}

impl Signature {
    /// Whether the function takes raw requests.
    pub const fn raw(&self) -> bool {
        self.takes(Declared::Requests, self.arguments.len())
    }

    /// Returns the unit that one call of the function processes.
    pub const fn call(&self) -> CallMode {
        match self.batch {
            _ if self.raw() => CallMode::Raw,
            true => CallMode::Batch,
            false => CallMode::Request,
        }
    }

    /// Whether only requests with equal parameters share a call.
    pub const fn by_parameters(&self) -> bool {
        matches!(self.call(), CallMode::Batch) && self.takes_parameters()
    }

    /// Whether the function takes the request parameters.
    pub const fn takes_parameters(&self) -> bool {
        self.takes(Declared::Parameters, self.arguments.len())
    }

    /// Whether the function takes the identity of the client.
    pub const fn takes_identity(&self) -> bool {
        self.takes(Declared::Identity, self.arguments.len())
    }

    /// The number of inputs before the argument with this index.
    #[inline]
    pub const fn inputs_before(&self, argument: usize) -> usize {
        let mut inputs = 0;
        let mut index = 0;
        while index < argument {
            if self.arguments[index].input().is_some() {
                inputs += 1;
            }
            index += 1;
        }
        inputs
    }

    /// The number of inputs.
    pub(super) const fn input_count(&self) -> usize {
        match self.raw() {
            true => self.declared.len(),
            false => self.inputs_before(self.arguments.len()),
        }
    }

    /// The inputs, in order.
    pub(super) fn inputs(&self) -> Vec<TensorDeclaration> {
        let inputs = 0..self.input_count();
        inputs.map(|input| self.input(input)).collect()
    }

    /// The input with this index.
    pub(super) const fn input(&self, input: usize) -> TensorDeclaration {
        if self.raw() {
            return self.declared[input];
        }
        let mut argument = 0;
        while self.inputs_before(argument + 1) <= input {
            argument += 1;
        }
        self.arguments[argument].declaration()
    }

    /// The inputs with one value for the whole call.
    pub(super) fn first_values(&self) -> Vec<FirstValue> {
        let arguments = self.arguments.iter().enumerate();
        let values = arguments.filter_map(|(index, argument)| {
            let strict = argument.first_value?;
            let input = self.inputs_before(index);
            Some(FirstValue { input, strict })
        });
        values.collect()
    }

    /// The inputs whose elements must be valid UTF-8.
    pub(super) fn utf8_inputs(&self) -> Vec<usize> {
        let arguments = self.arguments.iter().enumerate();
        let texts = arguments.filter(|(_, argument)| argument.input().is_some_and(|of| of.utf8));
        texts.map(|(index, _)| self.inputs_before(index)).collect()
    }

    /// The inputs whose rows may have different lengths within a batch.
    pub(super) fn ragged_inputs(&self) -> Vec<usize> {
        let arguments = self.arguments.iter().enumerate();
        let ragged = arguments.filter(|(_, argument)| argument.input().is_some_and(|of| of.ragged));
        ragged.map(|(index, _)| self.inputs_before(index)).collect()
    }

    /// The inputs that are decoded to validate them.
    pub(super) fn decoded_inputs(&self) -> Vec<(usize, ElementCheck)> {
        let arguments = self.arguments.iter().enumerate();
        let decoded = arguments.filter_map(|(index, argument)| {
            Some((self.inputs_before(index), argument.input()?.check?))
        });
        decoded.collect()
    }

    /// Whether the function checks for cancellation.
    pub const fn cancellable(&self) -> bool {
        self.takes(Declared::Cancellation, self.arguments.len()) || self.calls()
    }

    /// Whether the function calls other models. These calls are cancelled with its requests.
    pub(super) const fn calls(&self) -> bool {
        let mut index = 0;
        while index < self.arguments.len() {
            if let Declared::Call { .. } = self.arguments[index].declared {
                return true;
            }
            index += 1;
        }
        false
    }

    /// The outputs of one response, if the function takes `Responses`.
    pub const fn response_outputs(&self) -> &'static [TensorDeclaration] {
        let mut index = 0;
        while index < self.arguments.len() {
            if let Declared::Responses { outputs, .. } = self.arguments[index].declared {
                return outputs;
            }
            index += 1;
        }
        &[]
    }

    /// Whether the function takes sequences.
    pub(super) const fn knows_sequences(&self) -> bool {
        let each = false;
        let all = self.arguments.len();
        self.takes(Declared::Sequence { each }, all) || self.takes(Declared::State { each }, all)
    }

    /// Whether one of the first arguments has this declaration.
    pub(super) const fn takes(&self, declared: Declared, first: usize) -> bool {
        let mut index = 0;
        while index < first {
            match (self.arguments[index].declared, declared) {
                (Declared::Parameters, Declared::Parameters)
                | (Declared::Identity, Declared::Identity)
                | (Declared::Context, Declared::Context)
                | (Declared::Requests, Declared::Requests)
                | (Declared::Sequence { .. }, Declared::Sequence { .. })
                | (Declared::State { .. }, Declared::State { .. })
                | (Declared::Cancellation, Declared::Cancellation)
                | (Declared::Responses { .. }, Declared::Responses { .. }) => return true,
                _ => {}
            }
            index += 1;
        }
        false
    }
}
