pytriton::main!("models");

//~ 1: pytriton::main!();
