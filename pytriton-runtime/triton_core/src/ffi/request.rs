use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::Arc;

use bytes::Bytes;
use pytriton_core::memory_budget::MemoryBudget;
use pytriton_core::request::{
    InferInput, InferRequest, ParameterValue, Parameters, Sequence, SequenceId,
};

use crate::CoreError;

use super::Loaded;
use super::callbacks::{completed, released};
use super::error::c_text;
use super::in_flight::{InFlight, Inputs};
use super::raw::{MEMORY_CPU, RawRequest, SEQUENCE_END, SEQUENCE_START};
use super::server::{ANY_VERSION, Server, model_name};

/// A request that was not sent yet. It is deleted on drop.
#[derive(Debug)]
struct Prepared {
    raw: *mut RawRequest,
    library: &'static Loaded,
}

/// Sends a request to a model.
pub(crate) fn send(
    server: &Server,
    model: &str,
    version: Option<i64>,
    request: InferRequest,
    budget: Option<&Arc<MemoryBudget>>,
) -> Result<Arc<InFlight>, CoreError> {
    let prepared = Prepared::new(server, model, version)?;
    prepared.set_head(&request)?;
    prepared.set_parameters(&request.parameters)?;
    for input in &request.inputs {
        prepared.add_input(input)?;
    }
    for output in &request.outputs {
        prepared.add_output(&output.name)?;
    }
    let data = request.inputs.into_iter().map(|input| input.data);
    let inputs = Inputs::new(data.collect(), request.memory);
    prepared.send(server, inputs, budget)
}

impl Prepared {
    fn new(server: &Server, model: &str, version: Option<i64>) -> Result<Self, CoreError> {
        let library = server.library();
        let model = model_name(model)?;
        let mut raw = ptr::null_mut();
        let (raws, name) = (&raw mut raw, model.as_ptr());
        let version = version.unwrap_or(ANY_VERSION);
        // SAFETY: the server is live, the pointer is valid for writes, and the name ends with a
        // zero byte.
        library.check(unsafe { (library.api.request_new)(raws, server.raw(), name, version) })?;
        Ok(Self { raw, library })
    }

    fn set_head(&self, request: &InferRequest) -> Result<(), CoreError> {
        let (library, api, raw) = (self.library, &self.library.api, self.raw);
        if !request.id.is_empty() {
            let id = c_text(&request.id, "the ID of the request")?;
            // SAFETY: for this and all calls below, the request is live until it is sent or
            // dropped, and texts end with a zero byte and are copied.
            library.check(unsafe { (api.set_id)(raw, id.as_ptr()) })?;
        }
        if request.priority != 0 {
            // SAFETY: as above.
            library.check(unsafe { (api.set_priority)(raw, request.priority) })?;
        }
        if request.timeout_microseconds != 0 {
            let timeout = request.timeout_microseconds;
            // SAFETY: as above.
            library.check(unsafe { (api.set_timeout)(raw, timeout) })?;
        }
        match &request.sequence {
            Some(sequence) => self.set_sequence(sequence),
            None => Ok(()),
        }
    }

    fn set_sequence(&self, sequence: &Sequence) -> Result<(), CoreError> {
        let (library, api, raw) = (self.library, &self.library.api, self.raw);
        let mut flags = 0;
        if sequence.starts() {
            flags |= SEQUENCE_START;
        }
        if sequence.ends() {
            flags |= SEQUENCE_END;
        }
        // SAFETY: as above.
        library.check(unsafe { (api.set_flags)(raw, flags) })?;
        match sequence.id() {
            // SAFETY: as above.
            SequenceId::Number(id) => library.check(unsafe { (api.set_correlation)(raw, *id) }),
            SequenceId::Text(id) => {
                let id = c_text(id, "the ID of the sequence")?;
                // SAFETY: as above.
                library.check(unsafe { (api.set_correlation_text)(raw, id.as_ptr()) })
            }
        }
    }

    fn set_parameters(&self, parameters: &Parameters) -> Result<(), CoreError> {
        let (library, api, raw) = (self.library, &self.library.api, self.raw);
        for (name, value) in parameters.iter() {
            let name = c_text(name, "the name of a parameter")?;
            let name = name.as_ptr();
            let error = match value {
                ParameterValue::String(value) => {
                    let value = c_text(value, "a parameter")?;
                    // SAFETY: as above.
                    unsafe { (api.set_string)(raw, name, value.as_ptr()) }
                }
                // SAFETY: as above.
                ParameterValue::Int64(value) => unsafe { (api.set_int)(raw, name, *value) },
                ParameterValue::Uint64(value) => {
                    let value = i64::try_from(*value).map_err(|_| CoreError::Unsupported {
                        what: "an unsigned parameter above 9223372036854775807",
                    })?;
                    // SAFETY: as above.
                    unsafe { (api.set_int)(raw, name, value) }
                }
                // SAFETY: as above.
                ParameterValue::Bool(value) => unsafe { (api.set_bool)(raw, name, *value) },
                ParameterValue::Double(value) => {
                    let set = api.set_double.ok_or(CoreError::Unsupported {
                        what: "a floating-point parameter in this version of Triton",
                    })?;
                    // SAFETY: as above.
                    unsafe { set(raw, name, *value) }
                }
            };
            library.check(error)?;
        }
        Ok(())
    }

    /// Adds an input. Its bytes must live until Triton releases the request.
    fn add_input(&self, input: &InferInput) -> Result<(), CoreError> {
        let (library, api, raw) = (self.library, &self.library.api, self.raw);
        let name = c_text(&input.name, "the name of an input")?;
        let name = name.as_ptr();
        let datatype = i32::from(input.datatype.triton_number());
        let (dims, rank) = (input.shape.as_ptr(), input.shape.len() as u64);
        // SAFETY: as above, and the shape has `rank` dimensions, which are copied.
        library.check(unsafe { (api.add_input)(raw, name, datatype, dims, rank) })?;
        let (base, size) = data(&input.data);
        // SAFETY:
        // - The request is live until it is sent or dropped, and the name is copied.
        // - Triton reads the `size` bytes at `base` between the sending and the release of the
        //   request. In that time its `InFlight` owns them. A deletion does not read them.
        library.check(unsafe { (api.add_data)(raw, name, base.cast(), size, MEMORY_CPU, 0) })
    }

    fn add_output(&self, name: &str) -> Result<(), CoreError> {
        let name = c_text(name, "the name of an output")?;
        let add = self.library.api.add_output;
        // SAFETY: as above.
        self.library.check(unsafe { add(self.raw, name.as_ptr()) })
    }

    /// Sends the request. From then on its callbacks own it.
    fn send(
        self,
        server: &Server,
        inputs: Inputs,
        budget: Option<&Arc<MemoryBudget>>,
    ) -> Result<Arc<InFlight>, CoreError> {
        let (library, api, raw) = (self.library, &self.library.api, self.raw);
        let requests = Arc::clone(server.requests());
        let in_flight = InFlight::new(library, budget.cloned(), requests, inputs);
        let of_release = Callback::new(&in_flight);
        let of_complete = Callback::new(&in_flight);
        let (release, complete) = (of_release.user(), of_complete.user());
        // SAFETY: the request is not sent yet. `released` takes over the `Arc` behind `release`.
        library.check(unsafe { (api.set_release)(raw, released, release) })?;
        let allocator = library.allocator;
        // SAFETY:
        // - The request is not sent yet, and the allocator lives forever.
        // - `allocate` borrows the `Arc` behind `complete`, and `completed` takes it over.
        let error = unsafe { (api.set_complete)(raw, allocator, complete, completed, complete) };
        library.check(error)?;
        in_flight.sending(raw);
        // SAFETY: server and request are live. The callbacks own the request if this succeeds.
        let sent = unsafe { (api.infer)(server.raw(), raw, ptr::null_mut()) };
        if let Err(error) = library.check(sent) {
            // Triton calls none of the callbacks then, and the request is deleted here.
            in_flight.not_sent();
            return Err(error);
        }
        // The callbacks own these now.
        of_release.pass();
        of_complete.pass();
        // As does the request.
        let _ = ManuallyDrop::new(self);
        Ok(in_flight)
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        // SAFETY: the request was not sent, or Triton has refused it. Nothing else uses it.
        let error = unsafe { (self.library.api.request_delete)(self.raw) };
        if let Err(error) = self.library.check(error) {
            tracing::warn!(%error, "cannot delete a request of Triton's core");
        }
    }
}

/// A count of an [`InFlight`] that passes to a callback.
struct Callback(*const InFlight);

impl Callback {
    fn new(in_flight: &Arc<InFlight>) -> Self {
        Self(Arc::into_raw(Arc::clone(in_flight)))
    }

    /// Returns the user data of the callback.
    fn user(&self) -> *mut c_void {
        self.0.cast_mut().cast()
    }

    /// Passes the count to the callback.
    fn pass(mut self) {
        self.0 = ptr::null();
    }
}

impl Drop for Callback {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: the pointer is that of `Arc::into_raw`, and no callback uses it.
            drop(unsafe { Arc::from_raw(self.0) });
        }
    }
}

/// Returns the address and the size of an input. An empty one has no address.
fn data(bytes: &Bytes) -> (*const u8, usize) {
    match bytes.is_empty() {
        true => (ptr::null(), 0),
        false => (bytes.as_ptr(), bytes.len()),
    }
}
