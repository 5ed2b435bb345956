//! The decorators on the function: compatibility and order.

use proc_macro2::TokenStream;
use quote::quote;

use super::parameters::Parameter;
use crate::decorators::cost::{self, Cost};
use crate::decorators::input::{self, Declared};
use crate::decorators::openai::{self, OpenAi};
use crate::decorators::output::{self, Override};
use crate::decorators::warmup::{self, Warmup};
use crate::decorators::{
    Decoration, Inputs, Place, Stage, batch, fill_optionals, pad_batch, sample, step,
};
use crate::errors::Errors;
use crate::tensor::{listed, refusal};

/// The decorators on a function.
#[derive(Debug, Default)]
pub(super) struct Decorations {
    /// The decorators that are steps, in order.
    steps: Vec<Decoration>,
    pub(super) declared: Vec<Declared>,
    pub(super) overrides: Vec<Override>,
    pub(super) openai: Option<OpenAi>,
    cost: Option<Cost>,
    pub(super) warmups: Vec<Warmup>,
}

impl Decorations {
    /// Parses them; `raw` if the function is known to take raw requests.
    pub(super) fn read(decorations: &[Decoration], raw: bool, errors: &mut Errors) -> Self {
        let mut read = Self::default();
        for decoration in decorations {
            if decoration.is(&input::DECORATOR) {
                read.declared
                    .extend(Declared::read(decoration, raw, errors));
            } else if decoration.is(&output::DECORATOR) {
                read.overrides.push(Override::read(decoration, errors));
            } else if decoration.is(&warmup::DECORATOR) {
                read.warmups.push(Warmup::read(decoration, errors));
            } else if decoration.is(&openai::DECORATOR) && read.openai.is_none() {
                read.openai = Some(OpenAi::read(decoration, errors));
            } else if decoration.is(&cost::DECORATOR) && read.cost.is_none() {
                read.cost = Some(Cost::read(decoration, errors));
            } else if decoration.is(&openai::DECORATOR) || decoration.is(&cost::DECORATOR) {
                decoration.twice(errors);
            } else if !decoration.decorator.stands_on(Place::Function) {
                decoration.misplaced(errors);
            } else if read.fits(decoration, errors) {
                read.steps.push(decoration.clone());
            }
        }
        read.check_exclusions(errors);
        read
    }

    /// Reports decorators that exclude each other, and removes those that `#[openai]` excludes.
    fn check_exclusions(&mut self, errors: &mut Errors) {
        let mut steps = self.steps.iter();
        if self.openai.is_some()
            && !self.generates_text()
            && let Some(sample) = steps.find(|step| step.is(&sample::DECORATOR))
        {
            let message = "`#[openai(embeddings)]` processes whole batches: remove `#[sample]`";
            errors.push(sample, message);
        }
        if self.generates_text() {
            let cost = self.cost.take().map(|cost| cost.decoration);
            for excluded in self.steps.drain(..).chain(cost) {
                let name = excluded.name();
                let message = format!(
                    "`#[openai]` processes each request separately and supports no decorators: remove `#[{name}]`"
                );
                errors.push(&excluded, message);
            }
        }
        let mut steps = self.steps.iter();
        if let Some(padding) = steps.find(|step| step.is(&pad_batch::DECORATOR))
            && self.cost.is_some()
        {
            let message = "`#[pad_batch]` adds rows to a batch after its cost has been limited: remove it, or `#[cost]`";
            errors.push(padding, message);
        }
    }

    /// Returns whether the function generates text for an OpenAI route.
    pub(super) fn generates_text(&self) -> bool {
        self.openai
            .as_ref()
            .is_some_and(|openai| openai.generates_text)
    }

    /// Returns whether a call processes a whole batch. A function behind an OpenAI route does unless
    /// it generates text.
    pub(super) fn batch(&self) -> bool {
        let is_batched = self.openai.is_some() && !self.generates_text();
        is_batched || self.steps.iter().any(|step| step.is(&batch::DECORATOR))
    }

    /// Returns the `#[output]` attributes as a constant, if there are any.
    pub(super) fn to_overrides(&self) -> TokenStream {
        listed("__OVERRIDES", &self.overrides)
    }

    /// Returns whether there are any steps.
    pub(super) fn any_step(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Checks a decorator against those above it.
    fn fits(&self, decoration: &Decoration, errors: &mut Errors) -> bool {
        let name = decoration.name();
        let other = |found: &dyn Fn(&Decoration) -> bool| {
            let mut steps = self.steps.iter();
            Some(steps.find(|other| found(other))?.name())
        };
        let repeats = decoration.is(&step::DECORATOR);
        if other(&|other| other.is(decoration.decorator) && !repeats).is_some() {
            decoration.twice(errors);
        } else if let Some(other) = other(&|other| is_mode(other) && is_mode(decoration)) {
            let message = format!("`#[{name}]` and `#[{other}]` exclude each other: remove one");
            errors.push(decoration, message);
        } else if let Some(later) =
            other(&|other| other.decorator.stage > decoration.decorator.stage)
        {
            let message = format!("`#[{name}]` must be above `#[{later}]`: move it up");
            errors.push(decoration, message);
        } else {
            return true;
        }
        false
    }

    /// Reports decorators that require a batch without one.
    pub(super) fn check_batch(&self, errors: &mut Errors) {
        if self.batch() {
            return;
        }
        let steps = self.steps.iter();
        let steps = steps.filter(|step| step.decorator.stage > Some(Stage::Batch));
        for decoration in steps.chain(self.cost.iter().map(|cost| &cost.decoration)) {
            let name = decoration.name();
            let message = format!("`#[{name}]` requires batches: write `#[batch]` above it");
            errors.push(decoration, message);
        }
    }

    /// Returns `#[cost]`, and the name of its input.
    pub(super) fn to_cost(
        &self,
        inputs: &Inputs,
        errors: &mut Errors,
    ) -> Option<(Decoration, TokenStream)> {
        let cost = self.cost.as_ref()?;
        Some((cost.decoration.clone(), cost.to_name(inputs, errors)))
    }

    /// Marks the parameters with fill values.
    pub(super) fn fill(&self, parameters: &mut [Parameter], errors: &mut Errors) {
        for decoration in &self.steps {
            if !decoration.is(&fill_optionals::DECORATOR) {
                continue;
            }
            for (ident, _) in fill_optionals::defaults(decoration, errors) {
                let mut parameters = parameters.iter_mut();
                if let Some(parameter) = parameters.find(|parameter| parameter.is(&ident)) {
                    parameter.filled = true;
                }
            }
        }
    }

    /// Returns the steps around the function.
    pub(super) fn to_steps(&self, inputs: &Inputs, errors: &mut Errors) -> Vec<TokenStream> {
        let mut steps = Vec::new();
        for decoration in &self.steps {
            let made = (decoration.decorator.steps)(decoration, inputs, errors);
            steps.extend(made);
        }
        steps
    }

    /// Checks of decorators against options and parameters; `batching` adds the checks about
    /// batching.
    pub(super) fn to_checks(&self, batching: bool) -> TokenStream {
        let steps = self.steps.iter().filter_map(|decoration| {
            let flaw = match decoration.decorator.stage {
                Some(Stage::Groups | Stage::Padding) => quote!(step_flaw()),
                _ if batching && decoration.is(&batch::DECORATOR) => {
                    quote!(batch_flaw(&__OPTIONS))
                }
                _ if batching && decoration.is(&sample::DECORATOR) => {
                    quote!(sample_flaw(&__OPTIONS))
                }
                _ => return None,
            };
            Some(refusal(decoration, &quote!(__SIGNATURE.#flaw)))
        });
        let declared = self.declared.iter().enumerate().map(|(index, input)| {
            let flaw = quote!(__SIGNATURE.declared_flaw());
            let mut checks = refusal(&input.decoration, &flaw);
            checks.extend(input.name.to_check());
            checks.extend(input.shape.to_checks());
            let shape = quote!(__SIGNATURE.declared_shape_flaw(#index));
            checks.extend(refusal(input.shape.value(), &shape));
            if let Some(example) = &input.example {
                let flaw = quote!(__SIGNATURE.declared_example_flaw(#index));
                checks.extend(refusal(&example.expression, &flaw));
            }
            checks
        });
        let overrides = self.overrides.iter().map(|output| {
            let mut checks = TokenStream::new();
            checks.extend(output.name.iter().map(|name| name.to_check()));
            checks.extend(output.shape.iter().map(|shape| shape.to_checks()));
            checks
        });
        let openai = self.openai.iter().map(|openai| {
            let flaw = quote!(__SIGNATURE.openai_flaw(&__OPTIONS));
            refusal(&openai.decoration, &flaw)
        });
        let cost = self.cost.iter().map(|cost| {
            let flaw = quote!(__SIGNATURE.cost_flaw(&__OPTIONS));
            refusal(&cost.parameter, &flaw)
        });
        let checks = steps.chain(declared).chain(overrides);
        checks.chain(openai).chain(cost).collect()
    }
}

/// Returns whether it selects batch or sample mode.
fn is_mode(decoration: &Decoration) -> bool {
    decoration.is(&batch::DECORATOR) || decoration.is(&sample::DECORATOR)
}
