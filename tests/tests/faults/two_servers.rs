//! Several servers on one host.

use pytriton_tests::{Result, Server};

use crate::engine::{FREE_PORTS, start, workspaces};
use crate::process::kill;
use crate::{EXIT, MODELS, http};

fn right(servers: &[&Server]) -> bool {
    servers
        .iter()
        .all(|server| http::right(&server.banner().http))
}

#[test]
fn two_servers_do_not_affect_each_other() -> Result<()> {
    let home = tempfile::tempdir()?;
    let one = start(home.path(), &[])?;
    let two = start(home.path(), &[])?;
    let embedded = Server::start(MODELS, &FREE_PORTS[..0])?;
    assert!(right(&[&one, &two, &embedded]));
    assert_eq!(workspaces(home.path()).len(), 2);
    let left = workspaces(home.path());
    kill(one.pid())?;
    one.wait(EXIT)?;
    assert!(right(&[&two, &embedded]));
    // It removes the remains of the dead server, but not the files of the running one.
    let three = start(home.path(), &[])?;
    assert!(right(&[&two, &three, &embedded]));
    let now = workspaces(home.path());
    assert_eq!(now.len(), 2);
    assert_eq!(now.iter().filter(|path| left.contains(path)).count(), 1);
    two.signal("TERM")?;
    assert_eq!(two.wait(EXIT)?.0.code(), Some(0));
    assert!(right(&[&three, &embedded]));
    embedded.signal("TERM")?;
    assert_eq!(embedded.wait(EXIT)?.0.code(), Some(0));
    assert!(right(&[&three]));
    Ok(())
}
