use pytriton_signature::ModelSignature;

/// A model as a type.
///
/// `#[pytriton::model]` implements it for one of these types: a type with the function's name, the
/// type of an `impl` block with a `pub` method under `#[infer]`, or the type that the option
/// `client` names. `pytriton::client!` implements it for the types that it generates.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model that a typed client can call",
    label = "not a model",
    note = "name the type next to a function with `#[pytriton::model]`, which has the function's name, the type of such an `impl` block whose `#[infer]` method is `pub`, the name in its option `client = …`, or one of `pytriton::client!`"
)]
pub trait Model {
    /// A function type for each input, in order, with the parameter type of the model's function:
    /// `(fn(ArrayView2<f32>), fn(f32))`.
    type Arguments;
    /// The type of one response.
    type Outputs;
    /// [`Once`] or [`Many`].
    type Responses;

    /// Returns the expected signature of the server's model.
    fn signature() -> ModelSignature;
}

/// A request has one response.
#[derive(Debug, Clone, Copy)]
pub enum Once {}

/// A request has any number of responses.
#[derive(Debug, Clone, Copy)]
pub enum Many {}
