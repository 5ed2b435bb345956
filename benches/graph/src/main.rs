//! Serves the members and a function that calls them, for `benches/calls`.

use pytriton::Error;
use pytriton::prelude::*;
use triton_graph::{Device, Finish, Network, Prepare};

#[pytriton::model(name = "Graph", max_batch_size = 8, batches_in_flight = 8)]
#[batch]
async fn graph(
    x: ArrayView2<'_, f32>,
    prepare: &Call<Prepare>,
    network: &Call<Network>,
    finish: &Call<Finish>,
) -> Result<Array2<f32>, Error> {
    let x = prepare.call(x).await?;
    let x = network.call(x).await?;
    Ok(finish.call(x).await?)
}

#[pytriton::model(name = "DeviceGraph", max_batch_size = 8, batches_in_flight = 8)]
#[batch]
async fn device_graph(
    x: ArrayView2<'_, f32>,
    prepare: &Call<Prepare>,
    device: &Call<Device>,
    finish: &Call<Finish>,
) -> Result<Array2<f32>, Error> {
    let x = prepare.call(x).await?;
    let x = device.call(x).await?;
    Ok(finish.call(x).await?)
}

pytriton::main!();
