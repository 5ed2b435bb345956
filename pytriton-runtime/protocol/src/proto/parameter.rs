use crate::ParameterValue;

use super::InferParameter;
use super::infer_parameter::ParameterChoice;

impl From<ParameterValue> for InferParameter {
    fn from(value: ParameterValue) -> Self {
        Self {
            parameter_choice: Some(match value {
                ParameterValue::Bool(value) => ParameterChoice::BoolParam(value),
                ParameterValue::Int64(value) => ParameterChoice::Int64Param(value),
                ParameterValue::Uint64(value) => ParameterChoice::Uint64Param(value),
                ParameterValue::Double(value) => ParameterChoice::DoubleParam(value),
                ParameterValue::String(value) => ParameterChoice::StringParam(value),
            }),
        }
    }
}

impl From<ParameterChoice> for ParameterValue {
    fn from(choice: ParameterChoice) -> Self {
        match choice {
            ParameterChoice::BoolParam(value) => Self::Bool(value),
            ParameterChoice::Int64Param(value) => Self::Int64(value),
            ParameterChoice::Uint64Param(value) => Self::Uint64(value),
            ParameterChoice::DoubleParam(value) => Self::Double(value),
            ParameterChoice::StringParam(value) => Self::String(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_kind_round_trip() {
        for value in [
            ParameterValue::Bool(true),
            ParameterValue::Int64(-1),
            ParameterValue::Uint64(u64::MAX),
            ParameterValue::Double(0.5),
            ParameterValue::String("text".to_owned()),
        ] {
            let message = InferParameter::from(value.clone());
            let again = message.parameter_choice.map(ParameterValue::from);
            assert_eq!(again, Some(value));
        }
    }
}
