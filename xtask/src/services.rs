//! Services that results are kept in, as teams run them, for the tests: a Redis, a cluster of Redis, a master behind Sentinel,
//! PostgreSQL and an S3 server. They listen on the loopback interface at free ports, and are stopped afterwards.

use std::fs;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::layout::Layout;
use crate::{python, run, setup};

/// How long a service may take until it answers.
const START: Duration = Duration::from_secs(60);
/// The ports of a server in a cluster end here, because it talks to the others 10,000 above.
const CLUSTER_PORTS: u16 = 55_536;
/// The password of the servers behind Sentinel.
const PASSWORD: &str = "of-a-test";

/// Services that run until this is dropped.
pub struct Services<'a> {
    layout: &'a Layout,
    folder: PathBuf,
    children: Vec<Child>,
    addresses: Vec<String>,
    redis: Option<u16>,
    s3: Option<u16>,
}

impl<'a> Services<'a> {
    /// None yet.
    pub fn none(layout: &'a Layout) -> Result<Self> {
        let folder = layout.path("target/services").join(std::process::id().to_string());
        fs::create_dir_all(&folder)?;
        Ok(Self { layout, folder, children: Vec::new(), addresses: Vec::new(), redis: None, s3: None })
    }

    /// One Redis.
    pub fn redis(layout: &'a Layout) -> Result<Self> {
        let (mut services, port) = (Self::none(layout)?, free()?);
        services.start_redis(port, &[])?;
        services.addresses.push(format!("redis://127.0.0.1:{port}"));
        services.redis = Some(port);
        Ok(services)
    }

    /// A cluster of three servers, each with a third of the keys.
    pub fn and_cluster(mut self) -> Result<Self> {
        let ports = [below(CLUSTER_PORTS)?, below(CLUSTER_PORTS)?, below(CLUSTER_PORTS)?];
        for port in ports {
            self.start_redis(port, &["--cluster-enabled", "yes"])?;
        }
        let nodes = ports.map(|port| format!("127.0.0.1:{port}"));
        let program = setup::redis_server(self.layout)?.with_file_name("redis-cli");
        let mut cli = run::command(self.layout, program);
        cli.args(["--cluster", "create"]).args(&nodes).arg("--cluster-yes");
        run::quiet("redis-cli --cluster create", &mut cli)?;
        self.addresses.push(format!("redis+cluster://{}", nodes.join(",")));
        Ok(self)
    }

    /// A master and a replica with a password, and the Sentinel that watches them.
    pub fn and_sentinel(mut self) -> Result<Self> {
        let (master, replica, sentinel) = (free()?, free()?, free()?);
        let password = ["--requirepass", PASSWORD, "--masterauth", PASSWORD];
        self.start_redis(master, &password)?;
        let of_master = master.to_string();
        self.start_redis(replica, &[&password[..], &["--replicaof", "127.0.0.1", &of_master]].concat())?;
        let file = self.folder.join("sentinel.conf");
        let text = format!("sentinel monitor mymaster 127.0.0.1 {master} 1\nsentinel auth-pass mymaster {PASSWORD}\n");
        fs::write(&file, text)?;
        let mut server = run::command(self.layout, setup::redis_server(self.layout)?);
        server.arg(&file).args(["--sentinel", "--port", &sentinel.to_string()]);
        self.start("sentinel", &mut server, sentinel)?;
        self.addresses.push(format!("redis+sentinel://:{PASSWORD}@127.0.0.1:{sentinel}/mymaster"));
        Ok(self)
    }

    /// PostgreSQL, which does not run as root: there it runs in a namespace as another user.
    pub fn and_postgres(mut self) -> Result<Self> {
        let programs = setup::postgres(self.layout)?;
        let (data, port) = (self.folder.join("postgres"), free()?);
        let mut init = self.as_user(&programs.join("initdb"));
        init.arg("-D").arg(&data).args(["-U", "toolshape", "-A", "trust", "--no-sync"]);
        run::quiet("initdb", &mut init)?;
        let mut server = self.as_user(&programs.join("postgres"));
        server.arg("-D").arg(&data).args(["-p", &port.to_string(), "-k", "", "-c", "fsync=off"]);
        self.start("postgres", &mut server, port)?;
        self.addresses.push(format!("postgres://toolshape@127.0.0.1:{port}/postgres"));
        Ok(self)
    }

    /// SeaweedFS as an S3 server. Its package is for Linux on x86-64.
    pub fn and_s3(mut self) -> Result<Self> {
        let list = "crates/stores/tests/services/requirements.txt";
        let program = python::folder_of(self.layout, "target/seaweedfs", list)?.join("bin/weed");
        let data = self.folder.join("seaweedfs");
        fs::create_dir_all(&data)?;
        let port = free()?;
        let mut server = run::command(self.layout, program);
        server.args(["server", "-s3", "-ip=127.0.0.1", "-master.volumeSizeLimitMB=64"]);
        server.arg(format!("-dir={}", data.display())).arg(format!("-s3.port={port}"));
        for part in ["master", "volume", "filer"] {
            server.arg(format!("-{part}.port={}", free()?)).arg(format!("-{part}.port.grpc={}", free()?));
        }
        server.arg(format!("-s3.port.grpc={}", free()?));
        server.env("AWS_ACCESS_KEY_ID", "test").env("AWS_SECRET_ACCESS_KEY", PASSWORD);
        self.start("seaweedfs", &mut server, port)?;
        self.s3 = Some(port);
        self.addresses.push("s3://results/of/a-test".to_owned());
        Ok(self)
    }

    /// Passes a suite the addresses, the credentials, and the program that starts another Redis.
    pub fn pass_to<'c>(&self, command: &'c mut Command) -> Result<&'c mut Command> {
        if let Some(port) = self.redis {
            command.env("TOOLSHAPE_REDIS_URL", format!("redis://127.0.0.1:{port}"));
            command.env("TOOLSHAPE_REDIS_SERVER", setup::redis_server(self.layout)?);
        }
        if let Some(port) = self.s3 {
            command.env("AWS_ENDPOINT", format!("http://127.0.0.1:{port}")).env("AWS_ALLOW_HTTP", "true");
            command.env("AWS_ACCESS_KEY_ID", "test").env("AWS_SECRET_ACCESS_KEY", PASSWORD);
            command.env("AWS_REGION", "us-east-1");
        }
        Ok(command.env("TOOLSHAPE_SERVICES", self.addresses.join(" ")))
    }

    fn start_redis(&mut self, port: u16, options: &[&str]) -> Result<()> {
        let folder = self.folder.join(format!("redis-{port}"));
        fs::create_dir_all(&folder)?;
        let mut server = run::command(self.layout, setup::redis_server(self.layout)?);
        server.args(["--bind", "127.0.0.1", "--save", "", "--port", &port.to_string()]).args(options);
        server.arg("--dir").arg(folder);
        self.start(&format!("redis-{port}"), &mut server, port)
    }

    fn as_user(&self, program: &Path) -> Command {
        let is_root = run::answer(run::command(self.layout, "id").arg("-u")).is_some_and(|id| id == "0");
        if !is_root {
            return run::command(self.layout, program);
        }
        let mut command = run::command(self.layout, "unshare");
        command.args(["--user", "--map-user=101"]).arg(program);
        command
    }

    /// Starts a server, and waits until it listens.
    fn start(&mut self, name: &str, server: &mut Command, port: u16) -> Result<()> {
        let log = self.folder.join(format!("{name}.log"));
        let output = fs::File::create(&log)?;
        self.children.push(server.stdout(output.try_clone()?).stderr(output).stdin(Stdio::null()).spawn()?);
        let address = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port).into();
        let began = Instant::now();
        while TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_err() {
            if began.elapsed() > START {
                bail!("{name} did not start; its output is in {}", log.display());
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

impl Drop for Services<'_> {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn free() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

fn below(end: u16) -> Result<u16> {
    loop {
        let port = free()?;
        if port < end {
            return Ok(port);
        }
    }
}
