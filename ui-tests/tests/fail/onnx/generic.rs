#[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/affine.onnx", name = "m")]
struct Network<T>;

fn main() {}

//~ 2: struct Network;
