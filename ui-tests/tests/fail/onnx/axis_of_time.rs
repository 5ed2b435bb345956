#[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/time.onnx", name = "m", max_batch_size = 8)]
struct Network;

fn main() {}

//~ 1: #[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/time.onnx", name = "m", batching = true, max_batch_size = 8)]
