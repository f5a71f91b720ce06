//! A separate Redis for the tests: on the loopback interface, at a free port, without writing to disk, stopped
//! afterwards.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::layout::Layout;
use crate::{run, setup};

/// How many ports are tried.
const PORTS: usize = 5;

/// A server that runs until this is dropped.
pub struct Redis {
    program: PathBuf,
    port: u16,
    child: Child,
}

impl Redis {
    /// Starts a server, and installs Redis if it is missing.
    pub fn start(layout: &Layout) -> Result<Self> {
        let program = setup::redis_server(layout)?;
        for _ in 0..PORTS {
            // Another process may take the port before the server does; then another port is tried.
            let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
            let mut redis = Self { child: spawn(layout, &program, port)?, program: program.clone(), port };
            if redis.answers()? {
                println!("redis-server on 127.0.0.1:{port}");
                return Ok(redis);
            }
        }
        bail!("redis-server did not start on any of {PORTS} free ports; its output is in {}", log(layout).display())
    }

    pub fn address(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Passes a suite the address of the server, and the program that starts another one.
    pub fn pass_to<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("TOOLSHAPE_REDIS_URL", self.address()).env("TOOLSHAPE_REDIS_SERVER", &self.program)
    }

    /// Waits for its first answer. False if it ended instead.
    fn answers(&mut self) -> Result<bool> {
        while self.child.try_wait()?.is_none() {
            if ping(self.port).is_ok() && self.child.try_wait()?.is_none() {
                return Ok(true);
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(false)
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        // It has no data that would need an orderly shutdown.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(layout: &Layout, program: &PathBuf, port: u16) -> Result<Child> {
    let folder = layout.path("target/redis");
    fs::create_dir_all(&folder)?;
    let output = fs::File::create(log(layout))?;
    let mut server = run::command(layout, program);
    server.args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]).args(["--port", &port.to_string()]);
    server.arg("--dir").arg(&folder).stdout(output.try_clone()?).stderr(Stdio::from(output));
    server.spawn().context("cannot start redis-server")
}

fn log(layout: &Layout) -> PathBuf {
    layout.path("target/redis/output.txt")
}

fn ping(port: u16) -> Result<()> {
    let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
    let mut stream = TcpStream::connect_timeout(&address.into(), Duration::from_secs(1))?;
    stream.set_read_timeout(Some(Duration::from_secs(1)))?;
    stream.write_all(b"PING\r\n")?;
    let mut answer = [0; 5];
    stream.read_exact(&mut answer)?;
    if answer != *b"+PONG" {
        bail!("not a Redis server");
    }
    Ok(())
}
