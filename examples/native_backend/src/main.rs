use triton_native_backend as _;

pytriton::main!();
