struct S;
#[pytriton::model(name = "m")]
impl S {
    #[load] fn load() -> Self { Self }
}

fn main() {}
