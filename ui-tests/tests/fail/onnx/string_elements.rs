#[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/texts.onnx", name = "m")]
struct Network;

fn main() {}

//~ 1: #[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/affine.onnx", name = "m")]
