#[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/affine.onnx", name = "m", client = Affine)]
struct Network;

fn main() {}

//~ 1: #[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/affine.onnx", name = "m")]
