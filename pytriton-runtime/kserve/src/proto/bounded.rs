use bytes::Bytes;
use prost::Message;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_protocol::proto::{
    CudaSharedMemoryRegisterRequest, CudaSharedMemoryStatusRequest,
    CudaSharedMemoryUnregisterRequest, LogSettingsRequest, ModelConfigRequest,
    ModelMetadataRequest, ModelReadyRequest, ModelStatisticsRequest, RepositoryIndexRequest,
    RepositoryModelLoadRequest, RepositoryModelUnloadRequest, ServerLiveRequest,
    ServerMetadataRequest, ServerReadyRequest, SystemSharedMemoryRegisterRequest,
    SystemSharedMemoryStatusRequest, SystemSharedMemoryUnregisterRequest, TraceSettingRequest,
};

use super::bounded_error::BoundedError;
use super::extent::{Content, walk};
use super::field_count::FieldCount;

/// The maximum memory of a field in addition to its bytes: a map entry with its key, value and
/// allocations.
const FIELD_BYTES: usize = 256;

/// A request message whose decoded size is bounded before prost decodes it.
///
/// The rule is the same for every message, inference requests included: at most `MAX_FIELDS`
/// fields, counted in the message itself and in the nested messages that can repeat.
pub trait BoundedMessage: Message + Default {
    /// The nested messages whose fields are counted.
    const NESTED: &'static [Nested] = &[];
}

/// A field that contains a message, and the nested fields of that message.
#[derive(Debug, Clone, Copy)]
pub struct Nested {
    field: u32,
    nested: &'static [Self],
}

/// Decodes a message after reserving its memory with `permit`.
///
/// # Errors
///
/// Returns a [`BoundedError`].
pub fn decode<M: BoundedMessage>(
    message: Bytes,
    permit: &mut MemoryPermit,
) -> Result<M, BoundedError> {
    let mut count = FieldCount::default();
    count_fields(&message, M::NESTED, &mut count);
    let fields = count.within_limit()?;
    // The message itself, and strings that are copied from it.
    permit.resize(2 * message.len() + fields * FIELD_BYTES)?;
    Ok(M::decode(message)?)
}

/// Counts the fields of a message. In an invalid message, only those before the error count,
/// because prost reads no further.
fn count_fields(message: &[u8], nested: &[Nested], count: &mut FieldCount) {
    // Prost reports the error.
    let _ = walk(message, |field, content| {
        count.add(1);
        let found = nested.iter().find(|nested| nested.field == field);
        if let (Some(found), Content::Bytes(message)) = (found, content) {
            count_fields(message, found.nested, count);
        }
        Ok(())
    });
}

/// The value of a map entry, which is a message.
const VALUE: Nested = nested(2, &[]);

const fn nested(field: u32, nested: &'static [Nested]) -> Nested {
    Nested { field, nested }
}

impl BoundedMessage for TraceSettingRequest {
    const NESTED: &'static [Nested] = &[nested(1, &[VALUE])];
}

impl BoundedMessage for LogSettingsRequest {
    const NESTED: &'static [Nested] = &[nested(1, &[VALUE])];
}

impl BoundedMessage for RepositoryModelLoadRequest {
    const NESTED: &'static [Nested] = &[nested(3, &[VALUE])];
}

impl BoundedMessage for RepositoryModelUnloadRequest {
    const NESTED: &'static [Nested] = &[nested(3, &[VALUE])];
}

impl BoundedMessage for ServerLiveRequest {}
impl BoundedMessage for ServerReadyRequest {}
impl BoundedMessage for ModelReadyRequest {}
impl BoundedMessage for ServerMetadataRequest {}
impl BoundedMessage for ModelMetadataRequest {}
impl BoundedMessage for ModelConfigRequest {}
impl BoundedMessage for ModelStatisticsRequest {}
impl BoundedMessage for RepositoryIndexRequest {}
impl BoundedMessage for SystemSharedMemoryStatusRequest {}
impl BoundedMessage for SystemSharedMemoryRegisterRequest {}
impl BoundedMessage for SystemSharedMemoryUnregisterRequest {}
impl BoundedMessage for CudaSharedMemoryStatusRequest {}
impl BoundedMessage for CudaSharedMemoryRegisterRequest {}
impl BoundedMessage for CudaSharedMemoryUnregisterRequest {}
impl BoundedMessage for tonic_health::pb::HealthCheckRequest {}
impl BoundedMessage for tonic_reflection::pb::v1::ServerReflectionRequest {
    /// `file_containing_extension`.
    const NESTED: &'static [Nested] = &[nested(5, &[])];
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use pytriton_core::memory_budget::MemoryBudget;
    use pytriton_protocol::proto::trace_setting_request::SettingValue;

    use super::super::bounded_error::MAX_FIELDS;
    use super::*;

    fn fields(message: &[u8], nested: &[Nested]) -> usize {
        let mut count = FieldCount::default();
        count_fields(message, nested, &mut count);
        count.within_limit().unwrap()
    }

    fn settings(entries: usize, values: usize) -> TraceSettingRequest {
        let value = SettingValue {
            value: vec![String::new(); values],
        };
        let settings = (0..entries).map(|entry| (entry.to_string(), value.clone()));
        TraceSettingRequest {
            settings: settings.collect::<BTreeMap<_, _>>(),
            model_name: "m".to_owned(),
        }
    }

    #[test]
    fn nested_entries_and_values_are_counted() {
        // The name is one more field. Prost omits empty values.
        for (entries, values, expected) in [(0, 0, 1), (1, 0, 3), (3, 0, 7), (2, 5, 17)] {
            let bytes = settings(entries, values).encode_to_vec();
            let count = fields(&bytes, TraceSettingRequest::NESTED);
            assert_eq!(count, expected, "{entries} {values}");
        }
        // Fields that prost skips are counted as well.
        assert_eq!(fields(&[0x78, 0].repeat(9), &[]), 9);
        assert_eq!(fields(&[0x78, 0, 0xff], &[]), 1);
    }

    #[test]
    fn budget_is_reserved_before_decoding() {
        let message = Bytes::from(settings(100, 100).encode_to_vec());
        let budget = MemoryBudget::new(1 << 20);
        let mut permit = budget.empty_permit();
        let error = decode::<TraceSettingRequest>(message.clone(), &mut permit).unwrap_err();
        assert!(matches!(error, BoundedError::Budget(_)), "{error}");
        let budget = MemoryBudget::new(4 << 20);
        let mut permit = budget.empty_permit();
        let decoded = decode::<TraceSettingRequest>(message, &mut permit).unwrap();
        assert_eq!(decoded, settings(100, 100));
        assert!(budget.reserved() > 10_000 * FIELD_BYTES);
    }

    #[test]
    fn more_fields_than_the_limit_are_refused_and_invalid_bytes_are_prosts_error() {
        let budget = MemoryBudget::new(usize::MAX);
        let mut permit = budget.empty_permit();
        let mut decode = |bytes: Vec<u8>| decode::<ServerLiveRequest>(bytes.into(), &mut permit);
        assert!(decode([0x78, 0].repeat(MAX_FIELDS)).is_ok());
        let error = decode([0x78, 0].repeat(MAX_FIELDS + 1)).unwrap_err();
        assert_eq!(error, BoundedError::Fields);
        let error = decode(vec![0xff]).unwrap_err();
        assert!(matches!(error, BoundedError::Decode(_)), "{error}");
    }
}
