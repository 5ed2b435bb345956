//! Functions with a state per sequence.

use std::thread;
use std::time::Duration;

use pytriton::runtime_models::{Function, Raw};
use pytriton::{Error, Tensor};

use super::numbers;
use super::spec::Spec;

/// The running sum of the input. With the parameter `start_flag`, the output is instead the input
/// plus 1 for the first request of a sequence, like in NVIDIA's models that cannot keep a sum. With
/// `add_sequence_id`, all elements are the sum, and the last response includes the sequence id.
pub(crate) fn sequence(spec: &Spec) -> Result<Function, Error> {
    let delay = Duration::from_millis(spec.number("execute_delay_ms")?);
    let flag_only = spec.parameters.contains_key("start_flag");
    let adds_id = spec.parameters.contains_key("add_sequence_id");
    let input = spec.inputs[0].name.clone();
    let output = spec.outputs[0].datatype()?;
    Ok(Function::new(
        Raw.per_sequence(|_, _| Ok(0.0_f64)),
        move |call| {
            thread::sleep(delay);
            let requests = call.requests();
            let sums = call.sequence_state.into_iter().zip(requests);
            let responses = sums.map(|(sum, request)| {
                let tensor = request.tensor(&input).ok_or("no input")?;
                let mut values = numbers::read(tensor)?;
                let starts = request.sequence().is_some_and(|sequence| sequence.starts());
                for value in &mut values {
                    if flag_only {
                        *value += f64::from(u8::from(starts));
                    } else {
                        *sum += *value;
                        *value = *sum;
                    }
                }
                if adds_id {
                    let sequence = request.sequence().filter(|sequence| sequence.ends());
                    let id = sequence.map(|sequence| sequence.id().to_string().parse::<f64>());
                    values.fill(*sum + id.transpose()?.unwrap_or_default());
                }
                Ok(vec![numbers::write(output, tensor.shape(), &values)?])
            });
            Ok(responses.collect::<Vec<Result<Vec<Tensor>, Error>>>())
        },
    ))
}
