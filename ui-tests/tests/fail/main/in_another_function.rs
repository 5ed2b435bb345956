fn serve() {
    pytriton::main!();
}

fn main() {
    serve();
}
