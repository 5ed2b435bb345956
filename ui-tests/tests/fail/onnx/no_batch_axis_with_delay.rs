#[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/fixed.onnx", name = "m", max_queue_delay_microseconds = 8)]
struct Network;

fn main() {}

//~ 1: #[pytriton::onnx("../../../../ui-tests/../tests/onnx/files/fixed.onnx", name = "m")]
