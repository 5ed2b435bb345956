use std::sync::Arc;

use crate::Addresses;
use crate::access::Access;
use crate::loaded_models::LoadedModels;
use crate::side_channel::SideChannel;

/// A tritonserver that serves, as the ports of this process next to it use it.
#[derive(Debug)]
pub struct RunningTritonserver {
    /// The addresses of its ports.
    pub addresses: Addresses,
    /// Its access control, which the other ports share.
    pub access: Arc<Access>,
    /// The models that it has loaded.
    pub models: LoadedModels,
    /// The requests of this process that await its responses.
    pub side_channel: Arc<SideChannel>,
}
