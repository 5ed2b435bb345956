#[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/fixed.onnx", name = "m", batching = true)]
struct Network;

fn main() {}

//~ 1: #[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/fixed.onnx", name = "m", batching = false)]
