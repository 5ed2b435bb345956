#[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/affine.onnx", name = "m")]
struct Network(f32);

fn main() {}

//~ 2: struct Network;
