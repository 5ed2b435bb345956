//! The clients of the examples with the servers of the examples.

use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Result, Server, finish};

const DEADLINE: Duration = Duration::from_secs(60);

/// Creates an example from the names of its binary and its client.
macro_rules! example {
    ($name:literal) => {
        Example {
            server: env!(concat!("CARGO_BIN_EXE_example_", $name)),
            client: env!(concat!("CARGO_BIN_EXE_example_", $name, "_client")),
        }
    };
}

struct Example {
    server: &'static str,
    client: &'static str,
}

impl Example {
    fn serve(&self, arguments: &[&str]) -> Result<(Server, [String; 2])> {
        let server = Server::start(self.server, arguments)?;
        let banner = server.banner();
        let urls = [
            format!("http://{}", banner.http),
            format!("grpc://{}", banner.grpc),
        ];
        Ok((server, urls))
    }

    /// Returns the output of the client over each protocol.
    fn printed(&self, arguments: &[&str]) -> Result<[String; 2]> {
        let (_server, [http, grpc]) = self.serve(arguments)?;
        Ok([self.print(&[&http])?, self.print(&[&grpc])?])
    }

    fn print(&self, arguments: &[&str]) -> Result<String> {
        finish(Command::new(self.client).args(arguments), DEADLINE)?.success(self.client)
    }
}

#[test]
fn clients_print_the_same_over_both_protocols() -> Result<()> {
    let table = [
        (
            example!("add_sub"),
            "add: [[2],\n [2]]\nsub: [[0],\n [0]]\n",
        ),
        (
            example!("identity"),
            "[[0, 0.25, 0.5, 0.75],\n [0.25, 0.5, 0.75, 1]]\n[255, 0, 0, 0]\n",
        ),
        (
            example!("optionals"),
            "[[1, 2]]\n[[1.5, 2.5]]\n[[3, 6]]\n[[3.5, 6.5]]\n",
        ),
    ];
    for (example, expected) in table {
        for output in example.printed(&[])? {
            assert_eq!(output, expected);
        }
    }
    Ok(())
}

#[test]
fn linear() -> Result<()> {
    let [http, grpc] = example!("linear").printed(&[])?;
    assert_eq!(http, grpc);
    // Twice the sum of the squares of 0 to 19, divided by 16.
    assert!(http.starts_with("[[308.75, "), "{http}");
    Ok(())
}

#[test]
fn multi_instance() -> Result<()> {
    for output in example!("multi_instance").printed(&[])? {
        let counts = output.lines().filter_map(|line| {
            let (device, count) = line.split_once(": ")?;
            assert!(["gpu:0", "gpu:1"].contains(&device), "{output}");
            count.parse::<u32>().ok()
        });
        assert_eq!(counts.sum::<u32>(), 1000, "{output}");
    }
    Ok(())
}

#[test]
fn multiple_models() -> Result<()> {
    let printed = example!("multiple_models").printed(&[])?;
    for (output, seen) in printed.iter().zip(1..) {
        let expected = format!("Sum: [11, 0]\nMean 1: [2.5]\nMean 2: [2]\nCounter: [{seen}]\n");
        assert_eq!(*output, expected);
    }
    Ok(())
}

#[test]
fn online_learning() -> Result<()> {
    let [http, grpc] = example!("online_learning").printed(&[])?;
    let loss = |output: &str| {
        let first = output.lines().next().unwrap_or_default();
        let loss = first.trim_start_matches("loss ").parse::<f32>();
        loss.unwrap_or(f32::NAN)
    };
    // The second client finds the model that the first one has trained.
    assert!(loss(&http) > 1.0 && loss(&grpc) < 0.01, "{http}{grpc}");
    for output in [http, grpc] {
        assert!(output.ends_with("\n-5.0\n1.0\n"), "{output}");
    }
    Ok(())
}

#[test]
fn parameters_and_headers() -> Result<()> {
    let forwarded = [
        "--http-header-forward-pattern=x-.*",
        "--grpc-header-forward-pattern=x-.*",
    ];
    for output in example!("parameters").printed(&forwarded)? {
        assert_eq!(output.trim_end(), "hello hello ada, from instance 0");
    }
    Ok(())
}

#[test]
fn streaming() -> Result<()> {
    let example = example!("streaming");
    let (_server, [_, grpc]) = example.serve(&[])?;
    let output = example.print(&[&grpc, "You may"])?;
    assert!(output.starts_with("You may "), "{output}");
    assert_eq!(output.split_whitespace().count(), 22, "{output}");
    Ok(())
}
