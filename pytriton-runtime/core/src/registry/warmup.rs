use std::borrow::Cow;

use crate::model::{EXPECTED_INT32, MAX_INT32, ModelSpec, TensorDeclaration, Warmup, WarmupInput};
use crate::text::equal;

use super::rules::range;
use super::{ModelOptions, Signature};

/// The maximum number of dimensions of an array, each of any size.
const ANY: &[i64] = &[-1; 6];

impl ModelOptions<'_> {
    /// The error in an option of a warm-up.
    pub const fn warmup_flaw(&self, warmup: &Warmup, option: &str) -> Option<&'static str> {
        let Warmup {
            batch_size, count, ..
        } = warmup;
        match option.as_bytes() {
            b"count" => range(*count, MAX_INT32, EXPECTED_INT32),
            b"batch_size" if *batch_size == 1 => None,
            b"batch_size" if !self.batching || self.generates_text() => Some(
                "the model has no batches: remove `batch_size`, or write `count = …` for several calls",
            ),
            b"batch_size" => range(
                *batch_size,
                self.max_batch_size,
                "expected a number from 1 to `max_batch_size`",
            ),
            _ => None,
        }
    }
}

impl Signature {
    /// The error in the warm-up input with this index.
    pub const fn warmup_input_flaw(
        &self,
        warmup: &Warmup,
        input: usize,
        options: &ModelOptions<'_>,
    ) -> Option<&'static str> {
        let input = &inputs(warmup)[input];
        let mut index = 0;
        while index < self.input_count() {
            let TensorDeclaration {
                name, rank, shape, ..
            } = self.input(index);
            if !equal(name, name_of(input)) {
                index += 1;
                continue;
            }
            let batch_axis = if options.batching && !options.generates_text() {
                1
            } else {
                0
            };
            return match (shape, rank) {
                (Some(dims), _) => input.flaw(dims),
                (None, Some(rank)) if rank > batch_axis && rank - batch_axis <= ANY.len() => {
                    input.flaw(ANY.split_at(rank - batch_axis).0)
                }
                // The input itself is reported.
                _ => None,
            };
        }
        None
    }

    /// The flaw, if a warm-up must not omit the input with this name.
    pub const fn warmup_lacking_flaw(
        &self,
        lacking: &str,
        flaw: &'static str,
    ) -> Option<&'static str> {
        let mut index = 0;
        while index < self.input_count() {
            let TensorDeclaration { name, optional, .. } = self.input(index);
            if !optional && equal(name, lacking) {
                return Some(flaw);
            }
            index += 1;
        }
        None
    }
}

const fn inputs(warmup: &Warmup) -> &[WarmupInput] {
    match &warmup.inputs {
        Cow::Borrowed(inputs) => inputs,
        Cow::Owned(inputs) => inputs.as_slice(),
    }
}

const fn name_of(input: &WarmupInput) -> &str {
    match &input.name {
        Cow::Borrowed(name) => name,
        Cow::Owned(name) => name.as_str(),
    }
}

/// The errors in a warm-up of a run-time model.
pub(crate) fn warmup_flaws(spec: &ModelSpec, warmup: &Warmup) -> Vec<String> {
    let mut flaws = Vec::new();
    for (index, input) in warmup.inputs.iter().enumerate() {
        let mut before = warmup.inputs[..index].iter();
        if before.any(|other| other.name == input.name) {
            flaws.push(format!("input `{}` is given twice: remove one", input.name));
        }
        match spec.input_index(&input.name) {
            Some(of) => flaws.extend(
                input
                    .flaw(&spec.inputs[of].dims)
                    .map(|flaw| format!("input `{}`: {flaw}", input.name)),
            ),
            None => flaws.push(format!("the model has no input `{}`", input.name)),
        }
    }
    let required = spec.inputs.iter().filter(|input| !input.optional);
    let missing = required.filter(|input| warmup.find(&input.name).is_none());
    flaws.extend(missing.map(|input| format!("input `{}` is missing", input.name)));
    flaws
}
