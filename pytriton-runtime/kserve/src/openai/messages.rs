use std::ops::Deref;
use std::vec;

use super::Message;

/// The messages of a conversation, oldest first.
///
/// As an input, it has any number of strings. Each string is one message as JSON, such as `{"role":
/// "user", "content": "Hi"}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Messages(Vec<Message>);

impl From<Vec<Message>> for Messages {
    fn from(messages: Vec<Message>) -> Self {
        Self(messages)
    }
}

impl FromIterator<Message> for Messages {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        Self(messages.into_iter().collect())
    }
}

impl Deref for Messages {
    type Target = [Message];

    fn deref(&self) -> &[Message] {
        &self.0
    }
}

impl IntoIterator for Messages {
    type Item = Message;
    type IntoIter = vec::IntoIter<Message>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Messages {
    type Item = &'a Message;
    type IntoIter = std::slice::Iter<'a, Message>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
