#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| pytriton_fuzz_targets::run("onnx", input));
