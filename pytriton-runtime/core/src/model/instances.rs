use std::fmt;
use std::num::NonZero;
use std::thread;

use super::Device;

/// Returns the number of CPUs that this process may use, for `instances = num_cpus()`.
///
/// It respects the CPU affinity of the process and the limits of its container, and is at least 1.
pub fn num_cpus() -> u32 {
    let cpus = thread::available_parallelism().map_or(1, NonZero::get);
    u32::try_from(cpus).unwrap_or(u32::MAX)
}

/// A number of instances that is computed at start: any integer type.
#[diagnostic::on_unimplemented(
    message = "`instances` must be an integer, found `{Self}`",
    label = "not an integer"
)]
pub trait InstanceCount {
    /// Returns the number.
    fn count(self) -> i128;
}

macro_rules! counts {
    ($($integer:ty),*) => {$(
        impl InstanceCount for $integer {
            fn count(self) -> i128 {
                // Larger values are out of range in any case.
                i128::try_from(self).unwrap_or(i128::MAX)
            }
        }

        impl InstanceCount for NonZero<$integer> {
            fn count(self) -> i128 {
                self.get().count()
            }
        }
    )*};
}

counts!(
    i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize
);

/// Returns the number of instances. Used by generated code.
pub fn instance_count(count: impl InstanceCount) -> i128 {
    count.count()
}

/// Instances of a model on one device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstanceGroup {
    /// The device.
    pub device: Device,
    /// The number of instances.
    pub count: u32,
}

impl InstanceGroup {
    /// Instances on the CPU.
    pub const fn cpu(count: u32) -> Self {
        let device = Device::Cpu;
        Self { device, count }
    }

    /// One instance on the GPU with this number, from 0.
    pub const fn gpu(number: u32) -> Self {
        let device = Device::Gpu(number);
        Self { device, count: 1 }
    }
}

/// The instances of a model, numbered from 0 across all groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceGroups(Vec<InstanceGroup>);

impl InstanceGroups {
    /// The number of instances.
    pub fn count(&self) -> u32 {
        let counts = self.0.iter().map(|group| group.count);
        counts.fold(0, u32::saturating_add)
    }

    /// The groups, in order.
    pub fn groups(&self) -> &[InstanceGroup] {
        &self.0
    }

    /// The device of an instance.
    pub fn device(&self, instance: u32) -> Device {
        let mut before = 0_u32;
        for group in &self.0 {
            before = before.saturating_add(group.count);
            if instance < before {
                return group.device;
            }
        }
        Device::Cpu
    }
}

/// The form of `instances = […]`.
impl fmt::Display for InstanceGroups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, group) in self.0.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            match group.device {
                Device::Cpu => write!(f, "{comma}cpu({})", group.count)?,
                device @ Device::Gpu(_) => write!(f, "{comma}{device}")?,
            }
        }
        Ok(())
    }
}

/// Instances on the CPU.
impl From<u32> for InstanceGroups {
    fn from(count: u32) -> Self {
        Self(vec![InstanceGroup::cpu(count)])
    }
}

impl From<&[InstanceGroup]> for InstanceGroups {
    fn from(groups: &[InstanceGroup]) -> Self {
        Self(groups.to_vec())
    }
}

impl From<Vec<InstanceGroup>> for InstanceGroups {
    fn from(groups: Vec<InstanceGroup>) -> Self {
        Self(groups)
    }
}

impl<const N: usize> From<[InstanceGroup; N]> for InstanceGroups {
    fn from(groups: [InstanceGroup; N]) -> Self {
        Self(groups.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instance_numbers_continue_across_groups() {
        let table = [
            (InstanceGroups::from(2), "cpu(2)", vec![Device::Cpu; 2]),
            (
                [
                    InstanceGroup::gpu(1),
                    InstanceGroup::cpu(2),
                    InstanceGroup::gpu(0),
                    InstanceGroup::gpu(0),
                ]
                .into(),
                "gpu(1), cpu(2), gpu(0), gpu(0)",
                vec![
                    Device::Gpu(1),
                    Device::Cpu,
                    Device::Cpu,
                    Device::Gpu(0),
                    Device::Gpu(0),
                ],
            ),
        ];
        for (groups, text, devices) in table {
            assert_eq!(groups.to_string(), text);
            let found = (0..groups.count()).map(|instance| groups.device(instance));
            assert_eq!(found.collect::<Vec<_>>(), devices, "{text}");
        }
    }
}
