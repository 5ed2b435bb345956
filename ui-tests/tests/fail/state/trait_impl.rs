struct S;

#[pytriton::model(name = "m")]
impl Drop for S {
    fn drop(&mut self) {}
}

fn main() {}
