use pytriton_signature::ModelSignature;

/// A model as a type. `#[pytriton::model]` implements it for a type of the function's name, for the type of an `impl` block
/// whose `#[infer]` method is `pub`, or for what its option `client` names; `pytriton::client!` for types of its own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no model that a typed client could ask",
    label = "no model",
    note = "name the type beside a function under `#[pytriton::model]`, which has the function's name, the type of such an \
            `impl` block whose `#[infer]` method is `pub`, the name in its option `client = …`, or one of `pytriton::client!`"
)]
pub trait Model {
    /// A function for each input in order, which takes what the model's function takes: `(fn(ArrayView2<f32>), fn(f32))`.
    type Arguments;
    /// What the model's function returns at a time.
    type Outputs;
    /// [`Once`] or [`Many`].
    type Answers;

    /// What the server must say of it.
    fn signature() -> ModelSignature;
}

/// A request has one answer.
#[derive(Debug, Clone, Copy)]
pub enum Once {}

/// A request has any number of answers.
#[derive(Debug, Clone, Copy)]
pub enum Many {}
