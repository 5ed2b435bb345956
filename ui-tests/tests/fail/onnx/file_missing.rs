#[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/nowhere.onnx", name = "m")]
struct Network;

fn main() {}

//~ 1: #[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/affine.onnx", name = "m")]
