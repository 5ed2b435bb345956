use std::collections::HashSet;

use super::message::{Message, Value};
use super::{OnnxError, ValueInfo};

/// The inputs and outputs of the graph of an ONNX file.
///
/// # Examples
///
/// ```no_run
/// use pytriton_signature::onnx::Graph;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let graph = Graph::parse(&std::fs::read("model.onnx")?)?;
/// for input in &graph.inputs {
///     println!("{input}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    /// The inputs that a caller passes, in order: those that the file does not initialise.
    pub inputs: Vec<ValueInfo>,
    /// The outputs, in order.
    pub outputs: Vec<ValueInfo>,
    /// Whether any weights are in another file.
    pub has_external_data: bool,
    /// The version of ONNX's operators; 0 if it is missing.
    pub opset: u64,
    /// The program that wrote the file; empty if it is missing.
    pub producer: String,
}

impl Graph {
    /// Reads an ONNX file. The cost is linear in the number of its fields, and weights are skipped.
    ///
    /// # Errors
    ///
    /// Returns an [`OnnxError`] if the bytes are not a protobuf message with a graph.
    pub fn parse(file: &[u8]) -> Result<Self, OnnxError> {
        let mut graph = Self::default();
        let mut initialised = HashSet::new();
        for field in Message::new(file) {
            match field? {
                (2, Value::Bytes(producer)) => producer.text()?.clone_into(&mut graph.producer),
                (7, Value::Bytes(message)) => graph.read(message, &mut initialised)?,
                (8, Value::Bytes(operators)) => graph.read_operators(operators)?,
                _ => {}
            }
        }
        if graph.outputs.is_empty() {
            return Err(OnnxError::NoGraph);
        }
        graph
            .inputs
            .retain(|input| !initialised.contains(&*input.name));
        Ok(graph)
    }

    fn read<'a>(
        &mut self,
        message: Message<'a>,
        initialised: &mut HashSet<&'a str>,
    ) -> Result<(), OnnxError> {
        for field in message {
            match field? {
                (5, Value::Bytes(tensor)) => {
                    initialised.insert(self.read_initialiser(tensor)?);
                }
                (11, Value::Bytes(input)) => self.inputs.push(ValueInfo::read(input)?),
                (12, Value::Bytes(output)) => self.outputs.push(ValueInfo::read(output)?),
                (15, Value::Bytes(sparse)) => {
                    for field in sparse {
                        if let (1, Value::Bytes(values)) = field? {
                            initialised.insert(self.read_initialiser(values)?);
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the name of an initialiser.
    fn read_initialiser<'a>(&mut self, tensor: Message<'a>) -> Result<&'a str, OnnxError> {
        const EXTERNAL: u64 = 1;
        let mut name = "";
        for field in tensor {
            match field? {
                (8, Value::Bytes(text)) => name = text.text()?,
                (14, Value::Number(location)) => self.has_external_data |= location == EXTERNAL,
                _ => {}
            }
        }
        Ok(name)
    }

    fn read_operators(&mut self, message: Message<'_>) -> Result<(), OnnxError> {
        let (mut domain, mut version) = ("", 0);
        for field in message {
            match field? {
                (1, Value::Bytes(text)) => domain = text.text()?,
                (2, Value::Number(number)) => version = number,
                _ => {}
            }
        }
        if domain.is_empty() || domain == "ai.onnx" {
            self.opset = version;
        }
        Ok(())
    }
}
