#[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/affine.onnx", name = "a b")]
struct Network;

fn main() {}

//~ 1: #[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/affine.onnx", name = "m")]
