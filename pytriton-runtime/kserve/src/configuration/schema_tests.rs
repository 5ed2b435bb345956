//! Written configurations are readable by the checked-in messages.

use std::time::Duration;

use prost::Message as _;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorSet};
use pytriton_core::model::{
    CallMode, InstanceGroup, ModelSpec, QueuePolicy, TensorDeclaration, TensorSpec, TimeoutAction,
};
use pytriton_core::model::{CallOptions, VersionPolicy};
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::testing::{IDENTITY, TWO};
use pytriton_protocol::proto::model_config::SchedulingChoice;
use pytriton_protocol::proto::model_instance_group::Kind;
use pytriton_protocol::proto::model_optimization_policy::PinnedMemoryBuffer;
use pytriton_protocol::proto::model_sequence_batching::StrategyChoice;
use pytriton_protocol::proto::model_version_policy::{All, Latest, PolicyChoice, Specific};
use pytriton_protocol::proto::{
    self, FILE_DESCRIPTOR_SET, ModelConfig, ModelParameter, model_queue_policy,
};
use pytriton_protocol::tensor::DataType;

use super::table::{ANY, TABLE};
use super::*;

/// A model with an input of each datatype.
fn of_all_types() -> ModelSpec {
    let tensor =
        |datatype: &DataType| TensorSpec::new(datatype.name(), *datatype, [-1, 1 << 40, 0]);
    let mut spec = IDENTITY.spec().unwrap();
    spec.inputs = DataType::ALL.iter().map(tensor).collect();
    spec
}

struct Schema {
    messages: Vec<(String, DescriptorProto)>,
    enumerations: Vec<(String, EnumDescriptorProto)>,
}

impl Schema {
    fn new() -> Self {
        let mut schema = Self {
            messages: Vec::new(),
            enumerations: Vec::new(),
        };
        for file in FileDescriptorSet::decode(FILE_DESCRIPTOR_SET).unwrap().file {
            schema.add(
                &format!(".{}", file.package()),
                file.message_type,
                file.enum_type,
            );
        }
        schema
    }

    fn add(
        &mut self,
        scope: &str,
        messages: Vec<DescriptorProto>,
        enumerations: Vec<EnumDescriptorProto>,
    ) {
        for enumeration in enumerations {
            let name = format!("{scope}.{}", enumeration.name());
            self.enumerations.push((name, enumeration));
        }
        for message in messages {
            let name = format!("{scope}.{}", message.name());
            self.add(
                &name,
                message.nested_type.clone(),
                message.enum_type.clone(),
            );
            self.messages.push((name, message));
        }
    }

    fn message(&self, name: &str) -> &DescriptorProto {
        let mut messages = self.messages.iter();
        &messages.find(|(other, _)| other == name).unwrap().1
    }

    fn check(&self, message: &Message<'_>, name: &str) {
        for field in &message.fields {
            let place = format!("{name}.{}", field.name);
            let twice = message.fields.iter().filter(|one| one.name == field.name);
            assert_eq!(twice.count(), 1, "{place}");
            let declared = self.message(name).field.iter();
            let mut declared = declared.filter(|declared| declared.name() == field.name);
            let declared = declared.next().unwrap_or_else(|| panic!("no {place}"));
            assert_eq!(declared.number().cast_unsigned(), field.number, "{place}");
            let repeated = declared.label() == Label::Repeated;
            let (kind, inner) = (declared.r#type(), declared.type_name());
            match &field.value {
                Value::Scalar(scalar) => {
                    assert!(!repeated, "{place}");
                    self.check_scalar(scalar, kind, inner, &place);
                }
                Value::Message(message) => {
                    assert!(!repeated, "{place}");
                    self.check(message, inner);
                }
                Value::Numbers(_) => {
                    assert!(repeated, "{place}");
                    assert!([Type::Int32, Type::Int64].contains(&kind), "{place}");
                }
                Value::Messages(messages) => {
                    assert!(repeated, "{place}");
                    for message in messages {
                        self.check(message, inner);
                    }
                }
                Value::Map(entries) => {
                    let entry = self.message(inner);
                    assert!(entry.options.as_ref().unwrap().map_entry(), "{place}");
                    let [key, value] = &*entry.field else {
                        panic!("{place} is no map");
                    };
                    for (one, message) in entries {
                        self.check_scalar(one, key.r#type(), key.type_name(), &place);
                        self.check(message, value.type_name());
                    }
                }
            }
        }
    }

    fn check_scalar(&self, scalar: &Scalar<'_>, kind: Type, inner: &str, place: &str) {
        let fits = match scalar {
            Scalar::Text(_) => kind == Type::String,
            Scalar::Boolean(_) => kind == Type::Bool,
            Scalar::Fraction(_) => kind == Type::Float,
            Scalar::Number(_) => [Type::Int32, Type::Uint32, Type::Uint64].contains(&kind),
            Scalar::Enumeration(name, number) => {
                let mut enumerations = self.enumerations.iter();
                let (_, enumeration) = enumerations.find(|(other, _)| other == inner).unwrap();
                let mut values = enumeration.value.iter();
                values
                    .any(|value| value.name() == *name && value.number().cast_unsigned() == *number)
            }
        };
        assert!(fits, "{place}: {scalar:?} is no {kind:?}");
    }
}

#[test]
fn fields_match_the_checked_in_schema() {
    let schema = Schema::new();
    let specs = TABLE.iter();
    let specs = specs.map(|(_, declaration)| declaration.spec().unwrap());
    for spec in specs.chain([of_all_types()]) {
        let policies = [
            None,
            Some(VersionPolicy::Latest(2)),
            Some(VersionPolicy::All),
            Some(VersionPolicy::Specific(vec![1, 2])),
        ];
        for policy in policies {
            let config = configuration(&spec, BACKEND, policy.as_ref());
            schema.check(&config, ".inference.ModelConfig");
        }
    }
}

#[test]
fn bytes_contain_tensors_of_all_types() {
    let spec = of_all_types();
    let bytes = configuration(&spec, BACKEND, None).bytes();
    let config = ModelConfig::decode(&*bytes).unwrap();
    for (input, datatype) in config.input.iter().zip(DataType::ALL) {
        assert_eq!(input.name, datatype.name());
        assert_eq!(input.data_type().as_str_name(), datatype.config_name());
        assert_eq!(input.dims, [-1, 1 << 40, 0]);
    }
    assert_eq!(config.input.len(), DataType::ALL.len());
}

const RICH: ModelDeclaration = ModelDeclaration {
    options: ModelOptions {
        name: "rich ü",
        max_batch_size: 300,
        instances: &[InstanceGroup::cpu(2), InstanceGroup::gpu(3)],
        preferred_batch_size: &[4, 200],
        max_queue_delay_microseconds: 1 << 40,
        preserve_ordering: true,
        queue_policy: QueuePolicy::DEFAULT
            .timeout_action(TimeoutAction::Delay)
            .default_timeout(Duration::from_micros(7))
            .allow_timeout_override(true)
            .max_queue_size(9),
        priority_levels: 3,
        default_priority_level: 2,
        priority_queue_policy: &[(1, QueuePolicy::DEFAULT)],
        call_options: CallOptions::DEFAULT.response_cache(true),
        parameters: &[("b", "2"), ("a", "")],
        ..IDENTITY.options
    },
    inputs: &[TensorDeclaration {
        optional: true,
        ..ANY
    }],
    ..IDENTITY
};

#[test]
fn bytes_decode_to_the_message() {
    let dynamic_batching = proto::ModelDynamicBatching {
        preferred_batch_size: vec![4, 200],
        max_queue_delay_microseconds: 1 << 40,
        preserve_ordering: true,
        priority_levels: 3,
        default_priority_level: 2,
        default_queue_policy: Some(proto::ModelQueuePolicy {
            timeout_action: model_queue_policy::TimeoutAction::Delay.into(),
            default_timeout_microseconds: 7,
            allow_timeout_override: true,
            max_queue_size: 9,
        }),
        priority_queue_policy: [(1, proto::ModelQueuePolicy::default())].into(),
    };
    let group = |name: &str, count, kind: Kind, gpus: &[i32]| proto::ModelInstanceGroup {
        name: name.to_owned(),
        count,
        kind: kind.into(),
        gpus: gpus.to_vec(),
        ..proto::ModelInstanceGroup::default()
    };
    let parameter = |name: &str, value: &str| {
        let string_value = value.to_owned();
        (name.to_owned(), ModelParameter { string_value })
    };
    let policy = |choice| proto::ModelVersionPolicy {
        policy_choice: Some(choice),
    };
    let expected = ModelConfig {
        name: "rich ü".to_owned(),
        backend: "pytriton".to_owned(),
        version_policy: Some(policy(PolicyChoice::Latest(Latest { num_versions: 1 }))),
        max_batch_size: 300,
        input: vec![proto::ModelInput {
            name: "any".to_owned(),
            data_type: proto::DataType::TypeFp32.into(),
            dims: vec![-1],
            optional: true,
            ..proto::ModelInput::default()
        }],
        output: vec![proto::ModelOutput {
            name: "OUTPUT_1".to_owned(),
            data_type: proto::DataType::TypeFp32.into(),
            dims: vec![-1],
            ..proto::ModelOutput::default()
        }],
        optimization: Some(proto::ModelOptimizationPolicy {
            input_pinned_memory: Some(PinnedMemoryBuffer { enable: true }),
            output_pinned_memory: Some(PinnedMemoryBuffer { enable: true }),
            ..proto::ModelOptimizationPolicy::default()
        }),
        scheduling_choice: Some(SchedulingChoice::DynamicBatching(dynamic_batching)),
        instance_group: vec![
            group("rich ü_0", 2, Kind::Cpu, &[]),
            group("rich ü_1", 1, Kind::Model, &[]),
        ],
        parameters: [parameter("a", ""), parameter("b", "2")].into(),
        model_transaction_policy: Some(proto::ModelTransactionPolicy { decoupled: false }),
        response_cache: Some(proto::ModelResponseCache { enable: true }),
        ..ModelConfig::default()
    };
    let spec = RICH.spec().unwrap();
    let read = |policy: Option<&VersionPolicy>, backend| {
        let bytes = configuration(&spec, backend, policy).bytes();
        ModelConfig::decode(&*bytes).unwrap()
    };
    assert_eq!(read(None, BACKEND), expected);
    let native = ModelConfig {
        backend: "native".to_owned(),
        instance_group: vec![
            group("rich ü_0", 2, Kind::Cpu, &[]),
            group("rich ü_1", 1, Kind::Gpu, &[3]),
        ],
        ..expected.clone()
    };
    assert_eq!(read(None, "native"), native);
    let decoupled = ModelDeclaration {
        options: ModelOptions {
            call_options: RICH.options.call_options.response_cache(false),
            ..RICH.options
        },
        decoupled: true,
        ..RICH
    };
    let decoupled = configuration(&decoupled.spec().unwrap(), BACKEND, None).bytes();
    let policy_of_answers = ModelConfig::decode(&*decoupled)
        .unwrap()
        .model_transaction_policy;
    assert_eq!(
        policy_of_answers,
        Some(proto::ModelTransactionPolicy { decoupled: true })
    );
    let all = ModelConfig {
        version_policy: Some(policy(PolicyChoice::All(All {}))),
        ..expected
    };
    assert_eq!(read(Some(&VersionPolicy::All), BACKEND), all);
    let specific = ModelConfig {
        version_policy: Some(policy(PolicyChoice::Specific(Specific {
            versions: vec![1, 300],
        }))),
        ..all
    };
    let both = VersionPolicy::Specific(vec![1, 300]);
    assert_eq!(read(Some(&both), BACKEND), specific);
}

#[test]
fn preferred_batch_size_is_one_if_requests_cannot_be_stacked() {
    use CallMode::{Batch, Raw, Request};
    const ONE: &[InstanceGroup] = &[InstanceGroup::cpu(1)];
    type Row = (
        CallMode,
        &'static [InstanceGroup],
        u32,
        bool,
        &'static [i32],
    );
    let table: [Row; 9] = [
        (Request, ONE, 1, false, &[4, 200]),
        (Request, TWO, 1, false, &[1]),
        (Request, ONE, 2, false, &[1]),
        (Request, ONE, 1, true, &[1]),
        (Batch, TWO, 1, false, &[4, 200]),
        (Batch, ONE, 2, false, &[4, 200]),
        (Batch, ONE, 1, true, &[4, 200]),
        (Raw, TWO, 1, false, &[4, 200]),
        (Raw, ONE, 2, false, &[4, 200]),
    ];
    for (call, instances, batches_in_flight, decoupled, expected) in table {
        let declaration = ModelDeclaration {
            call,
            options: ModelOptions {
                instances,
                call_options: RICH
                    .options
                    .call_options
                    .batches_in_flight(batches_in_flight)
                    .response_cache(false),
                ..RICH.options
            },
            decoupled,
            ..RICH
        };
        let config = configuration(&declaration.spec().unwrap(), BACKEND, None).bytes();
        let choice = ModelConfig::decode(&*config).unwrap().scheduling_choice;
        let Some(SchedulingChoice::DynamicBatching(batching)) = choice else {
            panic!("{choice:?}");
        };
        let sizes = batching.preferred_batch_size;
        let delay = batching.max_queue_delay_microseconds;
        assert_eq!(delay == 0, expected == [1], "{delay}");
        assert_eq!(
            sizes, expected,
            "{call:?} {instances:?} {batches_in_flight} {decoupled}"
        );
    }
}

#[test]
fn bytes_contain_the_sequence_batcher() {
    let batching = |name: &str| {
        let mut table = TABLE.iter();
        let (_, declaration) = table.find(|(other, _)| *other == name).unwrap();
        let bytes = configuration(&declaration.spec().unwrap(), BACKEND, None).bytes();
        let choice = ModelConfig::decode(&*bytes).unwrap().scheduling_choice;
        let Some(SchedulingChoice::SequenceBatching(batching)) = choice else {
            panic!("{choice:?}");
        };
        batching
    };
    let direct = proto::model_sequence_batching::StrategyDirect {
        max_queue_delay_microseconds: 100,
        minimum_slot_utilization: 0.3,
    };
    let oldest = proto::model_sequence_batching::StrategyOldest {
        max_candidate_sequences: 64,
        preferred_batch_size: vec![2, 8],
        max_queue_delay_microseconds: 100,
        preserve_ordering: true,
    };
    let plain = proto::model_sequence_batching::StrategyOldest {
        max_candidate_sequences: 1,
        ..proto::model_sequence_batching::StrategyOldest::default()
    };
    let table = [
        (
            "direct_sequences",
            5_000_000,
            StrategyChoice::Direct(direct),
        ),
        (
            "oldest_sequences",
            1_000_000,
            StrategyChoice::Oldest(oldest),
        ),
        ("plain_sequences", 1_000_000, StrategyChoice::Oldest(plain)),
    ];
    for (name, idle, strategy) in table {
        let expected = proto::ModelSequenceBatching {
            max_sequence_idle_microseconds: idle,
            strategy_choice: Some(strategy),
            ..proto::ModelSequenceBatching::default()
        };
        assert_eq!(batching(name), expected, "{name}");
    }
}
