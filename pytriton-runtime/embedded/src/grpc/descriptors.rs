use std::collections::{BTreeSet, HashMap};

use prost::{DecodeError, Message};
use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorProto, FileDescriptorSet};

/// Protobuf files, and the file that declares each name.
#[derive(Debug, Default)]
pub(super) struct Descriptors {
    services: BTreeSet<String>,
    files: HashMap<String, Vec<u8>>,
    /// The file of each symbol, by full name.
    symbols: HashMap<String, String>,
}

impl Descriptors {
    /// Reads file sets. A file that occurs in several sets must be identical.
    ///
    /// # Errors
    ///
    /// Returns the error of the decoder if a set is invalid.
    pub(super) fn new(sets: &[&[u8]]) -> Result<Self, DecodeError> {
        let mut descriptors = Self::default();
        for set in sets {
            for file in FileDescriptorSet::decode(*set)?.file {
                descriptors.add(&file);
            }
        }
        Ok(descriptors)
    }

    /// Returns the full names of all services, sorted.
    pub(super) fn services(&self) -> impl Iterator<Item = &str> {
        self.services.iter().map(String::as_str)
    }

    /// Returns an encoded file by its name.
    pub(super) fn file(&self, name: &str) -> Option<&[u8]> {
        self.files.get(name).map(Vec::as_slice)
    }

    /// Returns the encoded file that declares a symbol.
    pub(super) fn declaring(&self, symbol: &str) -> Option<&[u8]> {
        self.file(self.symbols.get(symbol)?)
    }

    fn add(&mut self, file: &FileDescriptorProto) {
        let mut names = Names::default();
        names.declare(file);
        let services = file.service.iter();
        self.services
            .extend(services.map(|service| full(file.package(), service.name())));
        let declared = names.0.into_iter();
        self.symbols
            .extend(declared.map(|symbol| (symbol, file.name().to_owned())));
        self.files
            .insert(file.name().to_owned(), file.encode_to_vec());
    }
}

/// The full names that a file declares.
#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    fn declare(&mut self, file: &FileDescriptorProto) {
        let package = file.package();
        for message in &file.message_type {
            self.message(package, message);
        }
        for declared in &file.enum_type {
            self.enumeration(package, declared);
        }
        for service in &file.service {
            let name = full(package, service.name());
            let methods = service.method.iter();
            self.0
                .extend(methods.map(|method| full(&name, method.name())));
            self.0.push(name);
        }
    }

    fn message(&mut self, scope: &str, message: &DescriptorProto) {
        let name = full(scope, message.name());
        for nested in &message.nested_type {
            self.message(&name, nested);
        }
        for declared in &message.enum_type {
            self.enumeration(&name, declared);
        }
        let fields = message.field.iter();
        self.0.extend(fields.map(|field| full(&name, field.name())));
        self.0.push(name);
    }

    /// Enum values are siblings of their enum.
    fn enumeration(&mut self, scope: &str, declared: &EnumDescriptorProto) {
        let values = declared.value.iter();
        self.0.extend(values.map(|value| full(scope, value.name())));
        self.0.push(full(scope, declared.name()));
    }
}

fn full(scope: &str, name: &str) -> String {
    match scope {
        "" => name.to_owned(),
        scope => format!("{scope}.{name}"),
    }
}

#[cfg(test)]
mod tests {
    use pytriton_protocol::proto::FILE_DESCRIPTOR_SET;

    use super::*;

    #[test]
    fn every_kind_of_symbol_is_found() {
        let descriptors = Descriptors::new(&[FILE_DESCRIPTOR_SET]).unwrap();
        for symbol in [
            "inference.GRPCInferenceService",
            "inference.GRPCInferenceService.ModelInfer",
            "inference.ModelInferRequest",
            "inference.ModelInferRequest.InferInputTensor",
            "inference.ModelInferRequest.model_name",
            "inference.DataType",
            "inference.TYPE_FP32",
        ] {
            let file = descriptors.declaring(symbol);
            let file = FileDescriptorProto::decode(file.unwrap()).unwrap();
            assert_eq!(descriptors.file(file.name()), descriptors.declaring(symbol));
        }
        for unknown in ["", "inference", "ModelInferRequest", "inference.Nope"] {
            assert_eq!(descriptors.declaring(unknown), None, "{unknown}");
        }
        let services: Vec<_> = descriptors.services().collect();
        assert_eq!(services, ["inference.GRPCInferenceService"]);
        assert!(Descriptors::new(&[b"\xff"]).is_err());
    }
}
