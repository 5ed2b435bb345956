use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::server::{Link, Server};
use crate::{Address, ClientError, SequenceId, Stage, Status};

/// How long a server that did not answer is asked only where no other is left.
const REST: Duration = Duration::from_secs(5);

/// A server, or several of the same models.
#[derive(Debug)]
pub(crate) struct Servers {
    members: Vec<Member>,
    next: AtomicUsize,
}

#[derive(Debug)]
struct Member {
    server: Arc<Server>,
    under_way: AtomicUsize,
    rests_until: Mutex<Option<Instant>>,
}

impl Servers {
    pub(crate) fn new(addresses: &[Address], link: &Link) -> Result<Self, ClientError> {
        let servers = addresses.iter().map(|address| Server::new(address, link));
        Ok(Self::of(servers.collect::<Result<Vec<_>, _>>()?))
    }

    /// The same with connections of their own.
    pub(crate) fn anew(&self) -> Self {
        Self::of(self.all().map(|server| server.anew()))
    }

    fn of(servers: impl IntoIterator<Item = Server>) -> Self {
        let member = |server| Member {
            server: Arc::new(server),
            under_way: AtomicUsize::new(0),
            rests_until: Mutex::new(None),
        };
        Self {
            members: servers.into_iter().map(member).collect(),
            next: AtomicUsize::new(0),
        }
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Server>> {
        self.members.iter().map(|member| &member.server)
    }

    /// Asks one of them, and another where there is no connection to it, so that nothing has been asked. What belongs to a
    /// sequence goes to the same one always.
    pub(crate) async fn ask<T, F>(
        &self,
        sequence: Option<&SequenceId>,
        mut ask: impl FnMut(Arc<Server>) -> F,
    ) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let mut refused = ClientError::Closed;
        for index in self.order(sequence) {
            let asking = Asking::new(&self.members[index]);
            let answered = ask(Arc::clone(&asking.member.server)).await;
            asking.done(answered.as_ref().err());
            match answered {
                Err(error @ ClientError::Connect { .. }) => refused = error,
                answered => return answered,
            }
        }
        Err(refused)
    }

    /// Which are asked one after the other: those that rest last, those that have more to do behind those that have less.
    fn order(&self, sequence: Option<&SequenceId>) -> Vec<usize> {
        let count = self.members.len();
        if let Some(id) = sequence {
            let mut hasher = DefaultHasher::new();
            id.hash(&mut hasher);
            return vec![usize::try_from(hasher.finish() % (count as u64)).unwrap_or_default()];
        }
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        let mut order: Vec<usize> = (0..count)
            .map(|step| first.wrapping_add(step) % count)
            .collect();
        let now = Instant::now();
        order.sort_by_key(|index| {
            let member = &self.members[*index];
            (member.rests(now), member.under_way.load(Ordering::Relaxed))
        });
        order
    }
}

impl Member {
    fn rests(&self, now: Instant) -> bool {
        let until = self
            .rests_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| now < until)
    }

    fn rest(&self, until: Option<Instant>) {
        *self
            .rests_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = until;
    }
}

/// A request that a server has.
struct Asking<'a> {
    member: &'a Member,
    begun: Instant,
    answered: bool,
}

impl<'a> Asking<'a> {
    fn new(member: &'a Member) -> Self {
        member.under_way.fetch_add(1, Ordering::Relaxed);
        Self {
            member,
            begun: Instant::now(),
            answered: false,
        }
    }

    fn done(mut self, error: Option<&ClientError>) {
        self.answered = true;
        let rests = error.is_some_and(is_of_the_server);
        self.member.rest(rests.then(|| Instant::now() + REST));
    }
}

/// What was given up after a while was so because nothing came.
impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.member.under_way.fetch_sub(1, Ordering::Relaxed);
        let now = Instant::now();
        if !self.answered && now - self.begun > REST / 10 {
            self.member.rest(Some(now + REST));
        }
    }
}

/// Whether another request would go the same way.
fn is_of_the_server(error: &ClientError) -> bool {
    match error {
        ClientError::Connect { .. } | ClientError::Lost { .. } | ClientError::Tls { .. } => true,
        ClientError::Timeout { stage, .. } => *stage == Stage::Connect,
        ClientError::Server { status, .. } => {
            matches!(status, Status::Http(503) | Status::Grpc(14))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers(count: usize) -> Servers {
        let addresses: Vec<Address> = (0..count)
            .map(|number| format!("host{number}").parse().unwrap())
            .collect();
        let link = Link {
            tls: crate::Tls::new(),
            access_token: None,
            connect_timeout: REST,
            gzip: false,
        };
        Servers::new(&addresses, &link).unwrap()
    }

    fn refused() -> ClientError {
        let (address, message) = (String::new(), String::new());
        ClientError::Connect { address, message }
    }

    #[tokio::test(start_paused = true)]
    async fn those_that_do_nothing_are_asked_in_turn() {
        let servers = servers(3);
        for expected in [0, 1, 2, 0] {
            assert_eq!(servers.order(None)[0], expected);
        }
        let _busy = Asking::new(&servers.members[1]);
        assert_eq!(servers.order(None), [2, 0, 1]);
        let id = SequenceId::from(7);
        assert_eq!(servers.order(Some(&id)), servers.order(Some(&id)));
        assert_eq!(servers.order(Some(&id)).len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_does_not_answer_rests() {
        let servers = servers(2);
        let mut asked = 0;
        let answer = servers.ask(None, |_| {
            asked += 1;
            std::future::ready(match asked {
                1 => Err(refused()),
                _ => Ok(()),
            })
        });
        assert_eq!(answer.await, Ok(()));
        assert_eq!(asked, 2);
        for _ in 0..4 {
            assert_eq!(servers.order(None), [1, 0]);
        }
        tokio::time::advance(REST).await;
        assert_eq!(servers.order(None)[0], 1);
        assert_eq!(servers.order(None)[0], 0);
        // Given up before it was answered.
        let asking = Asking::new(&servers.members[1]);
        tokio::time::advance(REST / 5).await;
        drop(asking);
        assert_eq!(servers.order(None), [0, 1]);
        let all = servers
            .ask(None, |_| std::future::ready(Err::<(), _>(refused())))
            .await;
        assert_eq!(all, Err(refused()));
    }
}
