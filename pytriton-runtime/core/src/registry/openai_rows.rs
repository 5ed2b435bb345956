//! The errors of functions whose rows are the texts of OpenAI requests.

use crate::model::{OutputOverride, TensorDeclaration};

use super::outputs::overridden;
use super::row_rule::{RowRule, RowTensor};
use super::violation::Violation;
use super::{ModelOptions, Signature};

const NO_TEXTS: &str = "the texts are missing: take `texts: Vec<String>`";
const NOT_TEXTS: &str = "the first input must be one text per row: take `texts: Vec<String>`";
const OWN: &str =
    "the server handles this member of OpenAI requests itself: rename the parameter, or remove it";
const NOT_SINGLE: &str = "every other input must have one value per row: write `#[input(shape = [1])]`, or take a value under `#[first_value]`";
const STREAMED: &str = "a response has one vector for each text: return `Array2<f32>`";
const SEQUENCES: &str = "the texts of OpenAI requests belong to no sequence: remove `#[openai]`";
const NO_VECTORS: &str = "the first output must be one `f32` vector per text: return `Array2<f32>`";
const NO_COUNT: &str =
    "`prompt_tokens` is the number of tokens of each text: return `Array2<i64>` for it";

impl Signature {
    /// The error in an input: the first one receives the texts, each other one the member of its
    /// name.
    pub(super) const fn row_flaw(&self, argument: usize) -> Violation {
        let one = &self.arguments[argument];
        let (Some(input), Some(name)) = (one.input(), one.input_name()) else {
            return None;
        };
        let declaration = one.declaration();
        let tensor = RowTensor {
            name,
            datatype: input.datatype,
            dims: declaration.shape,
            optional: declaration.optional,
        };
        let is_first = self.inputs_before(argument) == 0;
        advice(tensor.input_rule(is_first, one.first_value.is_some()))
    }

    /// The error in the function as a whole.
    pub(super) const fn rows_flaw(&self, options: &ModelOptions<'_>) -> Violation {
        if self.inputs_before(self.arguments.len()) == 0 {
            return Some(NO_TEXTS);
        }
        let sequences = options.sequence_batching.is_some();
        advice(RowRule::of_function(self.decoupled, sequences))
    }
}

/// The error in the outputs of a function with an OpenAI route that returns vectors.
pub const fn vectors_flaw(
    outputs: &[TensorDeclaration],
    overrides: &[OutputOverride],
) -> Violation {
    let mut index = 0;
    while index < outputs.len() {
        let output = overridden(outputs[index], overrides, index);
        let tensor = RowTensor {
            name: output.name,
            datatype: output.datatype,
            dims: output.shape,
            optional: output.optional,
        };
        let rank = match (output.shape, output.rank) {
            (Some(shape), _) => shape.len(),
            (None, Some(rank)) => rank.saturating_sub(1),
            (None, None) => 0,
        };
        if let Some(rule) = tensor.output_rule(index == 0, rank) {
            return advice(Some(rule));
        }
        index += 1;
    }
    None
}

/// The error for a rule that the function violates.
const fn advice(rule: Option<RowRule>) -> Violation {
    match rule {
        None => None,
        Some(RowRule::Texts) => Some(NOT_TEXTS),
        Some(RowRule::Name) => Some(OWN),
        Some(RowRule::SingleValues) => Some(NOT_SINGLE),
        Some(RowRule::Vectors) => Some(NO_VECTORS),
        Some(RowRule::TokenCounts) => Some(NO_COUNT),
        Some(RowRule::OneResponse) => Some(STREAMED),
        Some(RowRule::NoSequences) => Some(SEQUENCES),
    }
}
