//! Sends the costliest requests from many clients to a server with little memory. Its peak memory
//! stays below a limit, other clients are served, and it shuts down normally.
//!
//! This is a separate binary because it and the other tests would slow each other down.

mod bodies;
mod connections;
mod costly;
mod grpc_bodies;
mod grpc_requests;
mod grpc_status;
mod http2;
mod load;
mod ordinary;
mod requests;
mod run;
mod sizes;
mod tensor_requests;
mod watches;

#[expect(dead_code, reason = "not all of it is needed here")]
#[path = "../abuse/frames.rs"]
mod frames;
#[expect(dead_code, reason = "not all of it is needed here")]
#[path = "../faults/http.rs"]
mod http;
#[path = "../abuse/probe.rs"]
mod probe;
#[expect(dead_code, reason = "not all of it is needed here")]
#[path = "../faults/region.rs"]
mod region;
