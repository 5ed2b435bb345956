#[path = "../../../../examples/add_sub/src/main.rs"]
mod add_sub;
#[path = "../../../../examples/first_value/src/main.rs"]
mod first_value;
#[path = "../../../../examples/grouping/src/main.rs"]
mod grouping;
#[path = "../../../../examples/identity/src/main.rs"]
mod identity;
#[path = "../../../../examples/linear/src/main.rs"]
mod linear;
#[path = "../../../../examples/multiple_models/src/main.rs"]
mod multiple_models;
#[path = "../../../../examples/optionals/src/main.rs"]
mod optionals;
#[path = "../../../../examples/parameters/src/main.rs"]
mod parameters;
#[path = "../../../../examples/stateful/src/main.rs"]
mod stateful;
#[path = "../../../../examples/streaming/src/main.rs"]
mod streaming;
