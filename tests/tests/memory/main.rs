//! The costliest requests that clients can send, many at a time, to a server with little memory:
//! its peak stays below a limit, other clients are served, and it stops as it does otherwise.
//!
//! A binary of its own: the other tests would be a load on the machine, and it one on them.

mod bodies;
mod costly;
mod grpc_bodies;
mod grpc_status;
mod http2;
mod load;
mod ordinary;
mod requests;
mod run;
mod sizes;
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
