use super::protobuf::{bytes, number};

/// An ONNX file.
///
/// The dimensions of a tensor are a text such as `batch 3 ?`: numbers, symbols, and `?` for a
/// dimension without a symbol. Element types have the numbers of ONNX.
#[derive(Debug, Clone, Default)]
pub struct OnnxFile {
    graph: Vec<u8>,
}

impl OnnxFile {
    /// ONNX's number of `f32`.
    pub const FLOAT: u64 = 1;
    /// ONNX's number of `i64`.
    pub const INT64: u64 = 7;
    /// ONNX's number of texts.
    pub const STRING: u64 = 8;
    /// ONNX's number of complex numbers.
    pub const COMPLEX64: u64 = 14;
    /// ONNX's number of `bf16`.
    pub const BFLOAT16: u64 = 16;

    /// Creates a file with an empty graph.
    pub fn new() -> Self {
        Self::default().graph_field(&bytes(2, "graph"))
    }

    /// Adds an input.
    pub fn input(self, name: &str, element: u64, dims: &str) -> Self {
        self.graph_field(&bytes(11, value(name, &tensor(element, Some(dims)))))
    }

    /// Adds an output.
    pub fn output(self, name: &str, element: u64, dims: &str) -> Self {
        self.graph_field(&bytes(12, value(name, &tensor(element, Some(dims)))))
    }

    /// Adds an input without a shape.
    pub fn input_of_any_rank(self, name: &str, element: u64) -> Self {
        self.graph_field(&bytes(11, value(name, &tensor(element, None))))
    }

    /// Adds an output that is a sequence.
    pub fn output_sequence(self, name: &str) -> Self {
        self.graph_field(&bytes(12, value(name, &bytes(4, ""))))
    }

    /// Adds weights of `f32`.
    pub fn weights(self, name: &str, dims: &[u64], elements: &[f32]) -> Self {
        let mut tensor: Vec<u8> = dims.iter().flat_map(|&dim| number(1, dim)).collect();
        tensor.extend(number(2, Self::FLOAT));
        let raw: Vec<u8> = elements.iter().flat_map(|one| one.to_le_bytes()).collect();
        tensor.extend(bytes(9, raw));
        tensor.extend(bytes(8, name));
        self.graph_field(&bytes(5, tensor))
    }

    /// Adds weights that are in another file.
    pub fn external_weights(self, name: &str) -> Self {
        let location = [bytes(1, "location"), bytes(2, "model.data")].concat();
        let tensor = [
            number(1, 1),
            number(2, Self::FLOAT),
            bytes(8, name),
            bytes(13, location),
            number(14, 1),
        ];
        self.graph_field(&bytes(5, tensor.concat()))
    }

    /// Adds a node.
    pub fn node(self, operator: &str, inputs: &[&str], outputs: &[&str]) -> Self {
        self.node_with(operator, inputs, outputs, &[])
    }

    /// Adds a node with attributes, whose values are numbers.
    pub fn node_with(
        self,
        operator: &str,
        inputs: &[&str],
        outputs: &[&str],
        attributes: &[(&str, u64)],
    ) -> Self {
        const INT: u64 = 2;
        let mut node: Vec<u8> = inputs.iter().flat_map(|name| bytes(1, name)).collect();
        node.extend(outputs.iter().flat_map(|name| bytes(2, name)));
        node.extend(bytes(4, operator));
        for (name, value) in attributes {
            let attribute = [bytes(1, name), number(3, *value), number(20, INT)];
            node.extend(bytes(5, attribute.concat()));
        }
        self.graph_field(&bytes(1, node))
    }

    /// Adds an encoded field to the graph.
    pub fn graph_field(mut self, field: &[u8]) -> Self {
        self.graph.extend_from_slice(field);
        self
    }

    /// Returns the bytes of the file.
    pub fn encode(&self) -> Vec<u8> {
        let operators = [bytes(1, ""), number(2, 17)].concat();
        let model = [
            number(1, 8),
            bytes(2, "pytriton"),
            bytes(7, &self.graph),
            bytes(8, operators),
        ];
        model.concat()
    }

    /// Returns `y = x * weights + bias` for rows of 3 values, with rows of 2 values in the result.
    pub fn affine() -> Self {
        Self::new()
            .input("x", Self::FLOAT, "batch 3")
            .output("y", Self::FLOAT, "batch 2")
            .weights("weights", &[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
            .weights("bias", &[2], &[0.5, -0.5])
            .node("MatMul", &["x", "weights"], &["product"])
            .node("Add", &["product", "bias"], &["y"])
    }
}

fn value(name: &str, ty: &[u8]) -> Vec<u8> {
    [bytes(1, name), bytes(2, ty)].concat()
}

fn tensor(element: u64, dims: Option<&str>) -> Vec<u8> {
    let mut tensor = number(1, element);
    if let Some(dims) = dims {
        let dims = dims.split_whitespace();
        let dims = dims.flat_map(|dim| bytes(1, dimension(dim)));
        tensor.extend(bytes(2, dims.collect::<Vec<u8>>()));
    }
    bytes(1, tensor)
}

fn dimension(dim: &str) -> Vec<u8> {
    match dim.parse::<i64>() {
        Ok(size) => number(1, size.cast_unsigned()),
        Err(_) if dim == "?" => Vec::new(),
        Err(_) => bytes(2, dim),
    }
}
