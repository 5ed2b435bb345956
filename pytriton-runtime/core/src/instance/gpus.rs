//! Checks that a GPU can exist. Only the function opens it, but a missing GPU is reported at
//! startup.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::call::ModelError;
use crate::model::{Device, ModelSpec};

/// The folder of device nodes on Linux.
const DEVICES: &str = "/dev";

/// Refuses a model if some of its instances cannot have their devices.
///
/// # Errors
///
/// Returns [`ModelError::Load`] for the first instance whose device does not exist.
pub fn check_devices(spec: &ModelSpec) -> Result<(), ModelError> {
    match most(Path::new(DEVICES)) {
        Some(most) => check(spec, most),
        None => Ok(()),
    }
}

/// Same as [`check_devices`], for a machine with `most` GPUs.
fn check(spec: &ModelSpec, most: u32) -> Result<(), ModelError> {
    let there = match most {
        0 => "no GPU".to_owned(),
        1 => "one GPU".to_owned(),
        most => format!("{most} GPUs"),
    };
    let mut first = 0_u32;
    for group in spec.instances.groups() {
        let device = group.device;
        if matches!(device, Device::Gpu(number) if number >= most) {
            return Err(ModelError::Load {
                model: Arc::clone(&spec.name),
                instance: first,
                message: format!("{device} does not exist: this machine has {there}"),
            });
        }
        first = first.saturating_add(group.count);
    }
    Ok(())
}

/// Returns the maximum number of GPUs, or `None` if it is unknown.
///
/// Each NVIDIA GPU has a numbered node. A node of another kind may represent several GPUs.
fn most(devices: &Path) -> Option<u32> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let mut most = 0;
    for entry in fs::read_dir(devices).ok()? {
        let name = entry.ok()?.file_name();
        let name = name.to_string_lossy();
        let number = name.strip_prefix("nvidia");
        if number.is_some_and(|number| number.parse::<u32>().is_ok()) {
            most += 1;
        }
        let others = [
            "dri", "dxg", "kfd", "kgsl", "mali", "nvgpu", "nvhost", "nvmap",
        ];
        if others.iter().any(|other| name.starts_with(other)) {
            return None;
        }
    }
    Some(most)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs::File;

    use crate::model::InstanceGroup;
    use crate::registry::{ModelDeclaration, ModelOptions};
    use crate::testing::IDENTITY;

    use super::*;

    #[test]
    fn gpus_are_counted_if_possible() {
        let table: [(&[&str], Option<u32>); 5] = [
            (&["null", "tty0"], Some(0)),
            (&["null", "nvidiactl", "nvidia-uvm"], Some(0)),
            (&["nvidia0", "nvidia1", "nvidiactl"], Some(2)),
            (&["nvidia0", "dri"], None),
            (&["kfd"], None),
        ];
        for (nodes, expected) in table {
            let devices = tempfile::tempdir().unwrap();
            for node in nodes {
                File::create(devices.path().join(node)).unwrap();
            }
            assert_eq!(most(devices.path()), expected, "{nodes:?}");
        }
        assert_eq!(most(Path::new("/dev/null/nothing")), None);
    }

    #[test]
    fn an_instance_with_an_unavailable_gpu_is_refused() {
        const DECLARATION: ModelDeclaration = ModelDeclaration {
            options: ModelOptions {
                instances: &[
                    InstanceGroup::cpu(2),
                    InstanceGroup::gpu(0),
                    InstanceGroup::gpu(1),
                ],
                ..IDENTITY.options
            },
            ..IDENTITY
        };
        let refused = |declaration: &ModelDeclaration, most| {
            let error = check(&declaration.spec().unwrap(), most).err();
            error.map(|error| error.to_string())
        };
        let table = [
            (2, None),
            (
                1,
                Some(
                    "instance 3 of model 'Identity' could not be loaded: gpu(1) does not exist: this machine has one GPU",
                ),
            ),
            (
                0,
                Some(
                    "instance 2 of model 'Identity' could not be loaded: gpu(0) does not exist: this machine has no GPU",
                ),
            ),
        ];
        for (most, expected) in table {
            assert_eq!(refused(&DECLARATION, most).as_deref(), expected);
            assert_eq!(refused(&IDENTITY, most), None);
        }
    }
}
