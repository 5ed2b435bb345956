//! The ports of a server.

use std::array;

/// A port of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Port {
    /// KServe over HTTP.
    Http,
    /// KServe over gRPC.
    Grpc,
    /// Metrics.
    Metrics,
    /// OpenAI routes.
    OpenAi,
    /// The interactive docs page.
    Docs,
    /// Vertex AI routes.
    VertexAi,
    /// SageMaker routes.
    SageMaker,
}

impl Port {
    /// All ports, in the order in which they are listed for users.
    pub const ALL: [Self; 7] = [
        Self::Http,
        Self::Grpc,
        Self::Metrics,
        Self::OpenAi,
        Self::Docs,
        Self::VertexAi,
        Self::SageMaker,
    ];

    /// Returns the name in options and errors.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Grpc => "grpc",
            Self::Metrics => "metrics",
            Self::OpenAi => "openai",
            Self::Docs => "docs",
            Self::VertexAi => "vertex-ai",
            Self::SageMaker => "sagemaker",
        }
    }
}

/// A value for some of the ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortMap<T>([Option<T>; Port::ALL.len()]);

impl<T> PortMap<T> {
    /// Returns the value of a port.
    pub fn get(&self, port: Port) -> Option<&T> {
        self.0[port as usize].as_ref()
    }

    /// Sets the value of a port.
    pub fn insert(&mut self, port: Port, value: T) {
        self.0[port as usize] = Some(value);
    }

    /// Removes the value of a port.
    pub fn remove(&mut self, port: Port) -> Option<T> {
        self.0[port as usize].take()
    }

    /// Returns the ports that have a value, in the order of [`Port::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (Port, &T)> {
        let values = Port::ALL.into_iter().zip(&self.0);
        values.filter_map(|(port, value)| Some((port, value.as_ref()?)))
    }

    /// Returns the values with their ports, in the order of [`Port::ALL`].
    pub fn into_entries(self) -> impl Iterator<Item = (Port, T)> {
        let values = Port::ALL.into_iter().zip(self.0);
        values.filter_map(|(port, value)| Some((port, value?)))
    }
}

impl<T> Default for PortMap<T> {
    fn default() -> Self {
        Self(array::from_fn(|_| None))
    }
}

impl<T> Extend<(Port, T)> for PortMap<T> {
    fn extend<I: IntoIterator<Item = (Port, T)>>(&mut self, values: I) {
        for (port, value) in values {
            self.insert(port, value);
        }
    }
}

impl<T> FromIterator<(Port, T)> for PortMap<T> {
    fn from_iter<I: IntoIterator<Item = (Port, T)>>(values: I) -> Self {
        let mut map = Self::default();
        map.extend(values);
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn port_map_iterates_in_order() {
        for (index, port) in Port::ALL.into_iter().enumerate() {
            assert_eq!(port as usize, index);
            let mut map = PortMap::default();
            assert_eq!(map.get(port), None);
            map.insert(port, index);
            assert_eq!(map.iter().collect::<Vec<_>>(), [(port, &index)]);
            assert_eq!(map.remove(port), Some(index));
            assert_eq!(map, PortMap::default());
        }
        let reversed = Port::ALL.into_iter().rev();
        let map: PortMap<_> = reversed.map(|port| (port, port.name())).collect();
        let names: Vec<_> = map.into_entries().collect();
        assert_eq!(names, Port::ALL.map(|port| (port, port.name())));
    }
}
