#[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/affine.onnx", name = "m", sequence_batching = direct)]
struct Network;

fn main() {}

//~ 1: #[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/affine.onnx", name = "m")]
