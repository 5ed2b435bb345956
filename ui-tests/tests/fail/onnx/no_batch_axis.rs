#[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/fixed.onnx", name = "m", max_batch_size = 8)]
struct Network;

fn main() {}

//~ 1: #[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/fixed.onnx", name = "m")]
