use pytriton_signature::ModelSignature;

/// A model as a type.
///
/// `#[pytriton::model]` implements it for the type that the option `client` names, and
/// `pytriton::client!` for the types that it generates.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the type of a model",
    label = "not a model",
    note = "name the type in `#[pytriton::model(…, client = …)]` of the model, or a type of `pytriton::client!`"
)]
pub trait Model: 'static {
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
