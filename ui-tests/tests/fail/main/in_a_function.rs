fn main() {
    pytriton::main!();
}
