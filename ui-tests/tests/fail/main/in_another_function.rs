fn serve() {
    pytriton::main!();
}

fn main() {
    serve();
}

//~ 1: pytriton::main!();
//~ 2:
//~ 3:
//~ 5:
//~ 6:
//~ 7:
