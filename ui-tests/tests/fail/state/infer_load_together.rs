struct S;
#[pytriton::model(name = "m")]
impl S {
    #[load] #[infer]
    fn load() -> Self { Self }
}

fn main() {}
