//! Options of models that the configuration replaces, such as `Linear.max_batch_size=32`.

use std::sync::Arc;

use crate::model::{BatcherOptions, CallOptions, OptionText, QueuePolicy, Warmup, parse_option};
use crate::text::nearest;

use super::option_override::OptionOverride;
use super::{Flaw, OwnedOptions, Registry, RegistryError, Signature};

/// Sets an option, or returns the expected form of its value.
type Setter = fn(&mut OwnedOptions, &str) -> Result<(), &'static str>;

/// The options outside of the tables of [`CallOptions`], [`BatcherOptions`] and [`QueuePolicy`]
/// that can be overridden. The others define the signature, or which requests the model accepts.
const OWN: [(&str, Setter); 5] = [
    ("max_batch_size", |options, text| {
        set(&mut options.plain.max_batch_size, text)
    }),
    ("instances", |options, text| {
        set(&mut options.instances, text)
    }),
    ("dynamic_batching", |options, text| {
        set(&mut options.plain.dynamic_batching, text)
    }),
    ("preferred_batch_size", |options, text| {
        set(&mut options.preferred_batch_size, text)
    }),
    ("description", |options, text| {
        options.description = text.into();
        Ok(())
    }),
];

fn set<T: OptionText>(option: &mut T, text: &str) -> Result<(), &'static str> {
    *option = parse_option(text)?;
    Ok(())
}

/// The names of all options that can be overridden.
fn names() -> impl Iterator<Item = &'static str> {
    let rows = CallOptions::ROWS.iter().chain(BatcherOptions::ROWS);
    let rows = rows.chain(QueuePolicy::ROWS).map(|(name, _)| *name);
    OWN.iter().map(|(name, _)| *name).chain(rows)
}

impl OwnedOptions {
    /// Applies the overrides of this model. Returns whether there are any.
    ///
    /// # Errors
    ///
    /// Returns an unknown option, or a value of another form. The rules must be checked afterwards.
    pub(crate) fn apply(&mut self, overrides: &[OptionOverride]) -> Result<bool, Vec<Flaw>> {
        let inline = self.plain.call_options.inline;
        let of_model = overrides.iter().filter(|of| of.model == self.name);
        let of_model: Vec<_> = of_model.collect();
        if !of_model.is_empty() {
            self.record_all();
        }
        let flaws = of_model.iter().filter_map(|of| self.replace(of).err());
        let mut flaws: Vec<Flaw> = flaws.collect();
        if self.plain.call_options.inline && !inline {
            flaws.push(Flaw::Option {
                option: "inline",
                help: "the configuration can only disable it, because the compiler checks `inline` functions: write `inline = true` in the source code",
            });
        }
        match flaws.is_empty() {
            true => Ok(!of_model.is_empty()),
            false => Err(flaws),
        }
    }

    fn replace(&mut self, of: &OptionOverride) -> Result<(), Flaw> {
        let Some(option) = names().find(|name| *name == &*of.option) else {
            return Err(Flaw::Unknown {
                option: Arc::clone(&of.option),
                nearest: nearest(&of.option, names()).map(Into::into),
            });
        };
        self.record(option);
        let done = match OWN.iter().find(|(name, _)| *name == option) {
            Some((_, set)) => set(self, &of.value),
            None => self.plain.set_row(option, &of.value),
        };
        done.map_err(|expected| Flaw::Value {
            option,
            value: Arc::clone(&of.value),
            expected,
        })
    }

    /// Records all options of a declared model that differ from their defaults, so that the rules
    /// are applied to them again.
    fn record_all(&mut self) {
        let plain = &self.plain;
        let default = super::ModelOptions::DEFAULT;
        let changed = plain.call_options.changed(&default.call_options);
        let changed = changed.chain(plain.batcher_options().changed(&default.batcher_options()));
        let changed = changed.chain(plain.queue_policy.changed(&default.queue_policy));
        let names: Vec<_> = changed.map(|row| row.name).collect();
        names.into_iter().for_each(|name| self.record(name));
        if !self.preferred_batch_size.is_empty() {
            self.record("preferred_batch_size");
        }
        if !self.priority_queue_policy.is_empty() {
            self.record("priority_queue_policy");
        }
        if !self.plain.dynamic_batching {
            self.record("dynamic_batching");
        }
    }

    /// Returns the batch sizes of warm-ups that the options do not allow.
    pub(super) fn warmup_flaws(&self, warmups: &[Warmup]) -> Vec<Flaw> {
        let options = self.borrowed();
        let flaws = warmups.iter().filter_map(|warmup| {
            let help = options.warmup_flaw(warmup, "batch_size")?;
            Some(Flaw::Warmup {
                warmup: warmup.name.as_ref().into(),
                help: format!("`batch_size`: {help}"),
            })
        });
        flaws.collect()
    }
}

impl Signature {
    /// Returns the options that the function does not support.
    pub(super) fn option_flaws(&self, options: &OwnedOptions) -> Vec<Flaw> {
        let options = options.borrowed();
        let arguments = (0..self.arguments.len()).filter_map(|index| self.flaw(index, &options));
        let flaws = arguments.chain(self.whole_flaw(&options));
        flaws.map(|help| Flaw::Conflict { help }).collect()
    }
}

impl Registry {
    /// Checks that the models of overrides exist.
    ///
    /// # Errors
    ///
    /// [`RegistryError::UnknownModel`] for each that does not.
    pub fn check_overrides(&self, overrides: &[OptionOverride]) -> Result<(), RegistryError> {
        let names = || self.iter().map(|spec| &*spec.name);
        let unknown = overrides
            .iter()
            .filter(|of| !names().any(|name| *name == *of.model));
        let errors = unknown.map(|of| RegistryError::UnknownModel {
            name: Arc::clone(&of.model),
            given: of.to_string(),
            nearest: nearest(&of.model, names()).map(Into::into),
        });
        RegistryError::all(errors.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{InstanceGroup, TimeoutAction};
    use crate::registry::ModelOptions;
    use crate::testing::IDENTITY;

    /// Applies overrides to a model with a batch axis, and checks all rules.
    fn with(texts: &[&str]) -> Result<OwnedOptions, Vec<String>> {
        static OPTIONS: ModelOptions<'static> = ModelOptions {
            name: "My.model",
            preferred_batch_size: &[2, 8],
            max_batch_size: 8,
            ..ModelOptions::DEFAULT
        };
        let overrides: Vec<OptionOverride> = texts.iter().map(|of| of.parse().unwrap()).collect();
        let mut options = OwnedOptions::from(&OPTIONS);
        let applied = options.apply(&overrides);
        let flaws = applied
            .map(|_| options.flaws())
            .unwrap_or_else(|flaws| flaws);
        match flaws.is_empty() {
            true => Ok(options),
            false => Err(flaws.iter().map(ToString::to_string).collect()),
        }
    }

    #[test]
    fn options_of_each_table_are_replaced() {
        let options = with(&[
            "My.model.max_batch_size=32",
            "My.model.instances=[cpu(2), gpu(0)]",
            "My.model.batches_in_flight=4",
            "My.model.max_queue_delay_microseconds=100",
            "My.model.default_timeout_microseconds=5",
            "My.model.timeout_action=delay",
            "My.model.description=a = b",
            "My.model.max_batch_size=64",
            "model.max_batch_size=1",
        ]);
        let options = options.unwrap();
        let borrowed = options.borrowed();
        assert_eq!(borrowed.max_batch_size, 64);
        let groups = [InstanceGroup::cpu(2), InstanceGroup::gpu(0)];
        assert_eq!(borrowed.instances, groups);
        assert_eq!(borrowed.call_options.batches_in_flight, 4);
        assert_eq!(borrowed.max_queue_delay_microseconds, 100);
        assert_eq!(borrowed.queue_policy.timeout_action, TimeoutAction::Delay);
        assert_eq!(borrowed.description, "a = b");
    }

    #[test]
    fn overrides_follow_the_rules_of_the_macro() {
        let table = [
            (
                "max_batchsize=1",
                "`max_batchsize` is not an option that can be overridden: did you mean `max_batch_size`?",
            ),
            (
                "sequence_batching=direct",
                "`sequence_batching` is not an option that can be overridden",
            ),
            (
                "max_batch_size=0",
                "`max_batch_size`: expected a number from 1 to 2147483647",
            ),
            (
                "max_batch_size=many",
                "`max_batch_size`: expected a number from 0 to 4294967295, found `many`",
            ),
            (
                "max_batch_size=4",
                "`preferred_batch_size` 8: a preferred batch size must be from 1 to `max_batch_size`",
            ),
            (
                "timeout_action=reject",
                "`timeout_action`: this option needs a timeout: write `default_timeout_microseconds = …` or `.default_timeout(…)` too, or remove it",
            ),
            (
                "max_candidate_sequences=4",
                "`max_candidate_sequences`: this option needs sequences: write `sequence_batching = direct` too, or remove it",
            ),
            (
                "dynamic_batching=false",
                "`preferred_batch_size`: this option needs dynamic batching: remove it, or remove `dynamic_batching = false`",
            ),
            (
                "max_batch_cost=5",
                "`max_batch_cost`: the cost needs an input that is counted: write `#[cost(…)]` above the function, or `.cost(\"…\")`",
            ),
            (
                "inline=true",
                "`inline`: the configuration can only disable it, because the compiler checks `inline` functions: write `inline = true` in the source code",
            ),
        ];
        for (text, expected) in table {
            let flaws = with(&[&format!("My.model.{text}")]).unwrap_err();
            assert_eq!(flaws[0], expected, "{text}");
        }
    }

    #[test]
    fn unknown_models_are_reported_with_the_nearest_name() {
        let registry = Registry::new(&[&IDENTITY]).unwrap();
        let check = |text: &str| registry.check_overrides(&[text.parse().unwrap()]);
        check("Identity.instances=2").unwrap();
        let error = check("Identiy.instances=2").unwrap_err().to_string();
        assert_eq!(
            error,
            "no model is named 'Identiy', which --model=Identiy.instances=2 overrides: did you mean `Identity`?"
        );
        for text in ["x", "instances=2", ".instances=2", "Identity.=2"] {
            text.parse::<OptionOverride>().unwrap_err();
        }
    }
}
