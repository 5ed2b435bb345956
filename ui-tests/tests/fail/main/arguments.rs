pytriton::main!("models");
