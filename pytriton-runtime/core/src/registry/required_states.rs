//! The states that models share.

use std::sync::Arc;

use crate::shared_state::StateType;

use super::{Registration, RegistryError};

impl Registration {
    /// Returns an error for each state that the function takes and the program does not provide.
    pub(super) fn missing_states(&self) -> Vec<RegistryError> {
        self.states_missing_in(&self.states.types().collect::<Vec<_>>())
    }

    /// Returns an error for each state that the function takes and whose type is not in a list.
    pub(super) fn states_missing_in(&self, provided: &[StateType]) -> Vec<RegistryError> {
        let required = self.spec.shared_states.iter();
        let missing = required.filter(|required| !provided.contains(&required.ty));
        let errors = missing.map(|required| RegistryError::NoState {
            model: Arc::clone(&self.spec.name),
            location: self.spec.location,
            required: *required,
            provided: provided.to_vec(),
        });
        errors.collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::registry::{Registration, Registry};
    use crate::shared_state::{RequiredState, SharedStates};
    use crate::testing::IDENTITY;

    use super::*;

    struct Weights;

    fn model(name: &str, required: &[RequiredState]) -> Registration {
        let mut model = IDENTITY.registration().unwrap();
        let spec = Arc::make_mut(&mut model.spec);
        spec.name = name.into();
        spec.shared_states = required.to_vec();
        model
    }

    fn required(parameter: Option<&'static str>) -> RequiredState {
        RequiredState {
            ty: StateType::of::<Weights>(),
            parameter,
        }
    }

    #[test]
    fn missing_states_are_reported_for_each_model_with_parameter_and_type() {
        let mut registry = Registry::default();
        registry
            .insert(model("First", &[required(Some("weights"))]))
            .unwrap();
        registry.insert(model("Other", &[])).unwrap();
        registry.insert(model("Second", &[required(None)])).unwrap();
        let text = registry.check_served().unwrap_err().to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        for (line, start) in lines
            .iter()
            .zip(["model 'First' at ", "model 'Second' at "])
        {
            assert!(line.starts_with(start), "{text}");
        }
        let ty = "pytriton_core::registry::required_states::tests::Weights";
        for (line, expected) in [
            (
                lines[0],
                format!("takes `weights: &Arc<{ty}>`, but the program provides no states"),
            ),
            (
                lines[1],
                format!("takes `Arc<{ty}>` in `#[load]`, but the program provides no states"),
            ),
        ] {
            assert!(line.contains(&expected), "{line}");
        }
    }

    #[test]
    fn provided_states_are_found_by_their_type() {
        let mut registry = Registry::default();
        registry
            .insert(model("First", &[required(Some("weights"))]))
            .unwrap();
        let mut states = SharedStates::default();
        states.insert(Arc::new(7_u32)).unwrap();
        let other = registry.with_states(&Arc::new(states));
        let text = other.check_served().unwrap_err().to_string();
        assert!(
            text.contains("but the program provides only `u32`: "),
            "{text}"
        );
        let mut states = SharedStates::default();
        states.insert(Arc::new(Weights)).unwrap();
        let states = Arc::new(states);
        registry.with_states(&states).check_served().unwrap();
        let added = model("Second", &[required(None)]);
        let missing = registry.check_addition(&added).unwrap_err().to_string();
        assert!(missing.starts_with("model 'Second' at "), "{missing}");
        registry
            .check_addition(&added.with_states(&states))
            .unwrap();
    }
}
