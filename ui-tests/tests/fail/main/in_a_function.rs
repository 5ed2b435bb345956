fn main() {
    pytriton::main!();
}

//~ 1: pytriton::main!();
//~ 2:
//~ 3:
