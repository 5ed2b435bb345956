//! Instances on devices, on both engines.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use pytriton::config::{Device, InstanceGroup};
use pytriton::ndarray::Array2;
use pytriton::runtime_models::{Function, PerBatch};
use pytriton_tests::Engine;

use crate::http::{begin, get};
use crate::{DEADLINE, Result, model, triton};

/// Returns the index of the instance, plus a hundred for each GPU up to its own.
fn placed() -> Function {
    let placed = PerBatch.stateful(|context| {
        Ok(f32::from(u16::try_from(context.instance())?)
            + match context.device() {
                Device::Gpu(number) => 100.0 * (1.0 + f32::from(u16::try_from(number)?)),
                _ => 0.0,
            })
    });
    Function::new(placed, |call| {
        thread::sleep(Duration::from_millis(20));
        Ok(Array2::from_elem((1, 1), *call.state))
    })
}

#[test]
fn instance_context_contains_its_device() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let groups = [InstanceGroup::cpu(3)];
        known(engine, &groups, &["KIND_CPU"], &[0.0, 1.0, 2.0])?;
    }
    Ok(())
}

/// Without any GPU, the start fails. Otherwise, the function opens the device.
#[test]
fn missing_gpu_is_reported() -> Result<()> {
    let groups = [InstanceGroup::cpu(1), InstanceGroup::gpu(0)];
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let triton = triton(engine)?;
        triton.bind(
            model("placed").max_batch_size(1).instances(groups),
            placed(),
        )?;
        match triton.run() {
            Ok(_) => known(engine, &groups, &["KIND_CPU", "KIND_MODEL"], &[0.0, 101.0])?,
            Err(error) => {
                let error = error.to_string();
                let expected = "instance 1 of model 'placed' could not be loaded: gpu(0) does not exist: this machine has no GPU (declared at ";
                assert!(error.starts_with(expected), "{error}");
                assert!(!fs::exists("/dev/nvidia0")?);
                assert!(!triton.is_alive());
            }
        }
    }
    Ok(())
}

fn known(engine: Engine, groups: &[InstanceGroup], kinds: &[&str], expected: &[f64]) -> Result<()> {
    let triton = triton(engine)?;
    let model = model("placed").max_batch_size(1);
    triton.bind(model.instances(groups.to_vec()), placed())?;
    let at = triton.run()?.http().ok_or("no HTTP")?;
    let config = get(at, "/v2/models/placed/config")?.body;
    let groups = config["instance_group"].as_array().ok_or("no groups")?;
    let written = groups.iter().filter_map(|group| group["kind"].as_str());
    assert_eq!(written.collect::<Vec<_>>(), kinds);
    let (mut seen, begun) = (Vec::new(), Instant::now());
    while seen.len() < expected.len() && begun.elapsed() < DEADLINE {
        let asked = (0..8).map(|_| begin(at, "placed", &[&[1.0]]));
        for asked in asked.collect::<Result<Vec<_>>>()? {
            let y = asked.answer()?.body["outputs"][0]["data"][0].clone();
            let y = y.as_f64().ok_or("no number")?;
            if !seen.contains(&y) {
                seen.push(y);
            }
        }
    }
    seen.sort_by(f64::total_cmp);
    assert_eq!(seen, expected);
    triton.stop()?;
    Ok(())
}
