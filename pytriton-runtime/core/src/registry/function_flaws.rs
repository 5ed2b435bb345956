//! The errors in a model's function as a whole, and in its decorators.

use super::violation::Violation;
use super::{ModelOptions, Signature};

impl Signature {
    /// The error in a step that sees the rows of a batch.
    pub const fn step_flaw(&self) -> Violation {
        if self.decoupled {
            return Some(
                "a decorator supports one response per request: remove this, or return a single response",
            );
        }
        if self.knows_sequences() {
            return Some(
                "a decorator can reorder rows, but not the sequences of the rows: remove the decorator, or take no sequences",
            );
        }
        None
    }

    /// The error in `#[batch]`.
    pub const fn batch_flaw(&self, options: &ModelOptions<'_>) -> Violation {
        match options.batching {
            true => None,
            false => Some(
                "`#[batch]` needs a batch axis: write `#[sample]`, or remove `batching = false`",
            ),
        }
    }

    /// The error in `#[sample]`.
    pub const fn sample_flaw(&self, options: &ModelOptions<'_>) -> Violation {
        match options.batching {
            true => Some(
                "`#[sample]` takes a request without a batch axis: write `batching = false` in `#[pytriton::model(…)]`, or `#[batch]`",
            ),
            false => None,
        }
    }

    /// The error in the combination of all parameters.
    pub const fn whole_flaw(&self, options: &ModelOptions<'_>) -> Violation {
        if self.decoupled && options.call_options.response_cache {
            return Some(
                "`response_cache = true` stores one response per request: remove it, or return a single response",
            );
        }
        if self.decoupled && options.preserve_ordering {
            return Some(
                "the order of streamed responses is not preserved: remove `preserve_ordering`, or return a single response",
            );
        }
        // The first input of an OpenAI route is reported on its attribute.
        match options.batching && options.openai.is_none() && self.input_count() == 0 {
            true if self.raw() => Some(
                "a model with a batch axis needs an input: write `#[input(name = \"INPUT_1\", datatype = FP32, shape = [-1])]` above the function",
            ),
            true => Some(
                "a model with a batch axis needs an input: take an array such as `x: ArrayView2<f32>`, or write `batching = false`",
            ),
            false => None,
        }
    }

    /// The reason why the function cannot be called on a thread that serves connections.
    pub const fn inline_flaw(&self, is_async: bool, options: &ModelOptions<'_>) -> Violation {
        match options.call_options.inline {
            false => None,
            true if is_async => {
                Some("an `inline` call cannot await: remove `inline`, or `async` from the function")
            }
            true if self.decoupled => Some(
                "an `inline` call has one response: remove `inline`, or return a single response",
            ),
            true if self.calls() => Some(
                "an `inline` call cannot wait for another model: remove `inline`, or take no `&Call`",
            ),
            true if self.cancellable() => Some(
                "an `inline` call cannot be cancelled: remove `inline`, or take no `&Cancellation`",
            ),
            true => None,
        }
    }

    /// The error in declaring an input on a function that takes arrays.
    pub const fn declared_flaw(&self) -> Violation {
        match self.raw() {
            true => None,
            false => Some(
                "`#[input]` belongs on a parameter: `#[input(name = \"INPUT_1\")] x: ArrayView2<f32>`",
            ),
        }
    }

    /// The error in its shape.
    pub const fn declared_shape_flaw(&self, input: usize) -> Violation {
        match self.raw() {
            true => self.declared[input].shape_flaw(false),
            false => None,
        }
    }

    /// The error in its sample values.
    pub const fn declared_example_flaw(&self, input: usize) -> Violation {
        match self.raw() {
            true => self.declared[input].example_flaw(),
            false => None,
        }
    }
}
