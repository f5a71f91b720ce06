//! Redis and Valkey: one server, a cluster, or the master that Sentinel names. The value is under `toolshape:<key>`, as the
//! packages' stores write it (docs/stores.md, "Redis and other services").

use std::sync::Mutex;
use std::time::Duration;

use redis::cluster::ClusterClient;
use redis::sentinel::{SentinelClient, SentinelNodeConnectionInfo, SentinelServerType};
use redis::{Client, Cmd, ConnectionLike, FromRedisValue, IntoConnectionInfo, RedisResult, TlsMode};

use super::connections::Connections;
use super::{ANSWER, Backend, CONNECT, Counter, Failure, TENANT, tenant_of};
use crate::store::locked;

/// Counts a value of a tenant (ARGV: its key, its bytes or nothing for those that it has, milliseconds, the most bytes). KEYS has two
/// of one slot: when each value expires, and how many bytes it has, all together under the empty name.
const COUNT: &str = "
    local expiry, sizes, key, time = KEYS[1], KEYS[2], ARGV[1], redis.call('TIME')
    local now, kept = time[1] * 1000 + math.floor(time[2] / 1000), tonumber(ARGV[3])
    local function size(of) return tonumber(redis.call('HGET', sizes, of) or 0) end
    local function forget(of)
        redis.call('HINCRBY', sizes, '', 0 - size(of))
        redis.call('HDEL', sizes, of)
        redis.call('ZREM', expiry, of)
    end
    for _, over in ipairs(redis.call('ZRANGEBYSCORE', expiry, '-inf', now)) do forget(over) end
    local before = size(key)
    local bytes = tonumber(ARGV[2]) or before
    if bytes == 0 or size('') - before + bytes > tonumber(ARGV[4]) then return 0 end
    forget(key)
    redis.call('HINCRBY', sizes, '', bytes)
    redis.call('HSET', sizes, key, bytes)
    redis.call('ZADD', expiry, now + kept, key)
    for _, name in ipairs(KEYS) do
        redis.call('PEXPIRE', name, math.max(kept, redis.call('PTTL', name)))
    end
    return 1";
const FORGET: &str = "
    local bytes = redis.call('HGET', KEYS[2], ARGV[1])
    if not bytes then return end
    redis.call('HINCRBY', KEYS[2], '', -bytes)
    redis.call('HDEL', KEYS[2], ARGV[1])
    redis.call('ZREM', KEYS[1], ARGV[1])";

type Connection = Box<dyn ConnectionLike + Send>;

struct Redis {
    origin: Origin,
    connections: Connections<Connection>,
}

/// Where connections lead.
enum Origin {
    Server(Client),
    /// And how the address of one of its servers begins.
    Cluster(ClusterClient, String),
    /// Asked for its master with each new connection.
    Sentinel(Mutex<SentinelClient>),
}

pub(super) fn open(address: &str) -> Result<Box<dyn Backend>, Failure> {
    let origin = match address.split_once("://") {
        Some((scheme, rest)) if scheme.ends_with("+cluster") => cluster(scheme, rest),
        Some((scheme, rest)) if scheme.ends_with("+sentinel") => sentinel(scheme, rest),
        _ => Client::open(address).map(Origin::Server),
    };
    let wrong = "the store's address is not that of a Redis: redis://host:port, redis+cluster://host:port,host:port or \
                 redis+sentinel://host:port/master";
    let origin = origin.map_err(|_| Failure::new(wrong))?;
    Ok(Box::new(Redis { origin, connections: Connections::default() }))
}

/// `redis+cluster://user:password@host:7000,host:7001`.
fn cluster(scheme: &str, rest: &str) -> RedisResult<Origin> {
    let (user, hosts) = rest.rsplit_once('@').map_or(("", rest), |(user, hosts)| (user, hosts));
    let at = if user.is_empty() { "" } else { "@" };
    let scheme = scheme.trim_end_matches("+cluster");
    let beginning = format!("{scheme}://{user}{at}");
    let nodes = hosts.trim_end_matches('/').split(',').map(|host| format!("{beginning}{host}"));
    let client = ClusterClient::builder(nodes).connection_timeout(CONNECT).response_timeout(ANSWER).build()?;
    Ok(Origin::Cluster(client, beginning))
}

/// `redis+sentinel://user:password@host:26379,host:26380/master/0`: the user is the servers', as is TLS.
fn sentinel(scheme: &str, rest: &str) -> RedisResult<Origin> {
    let (user, rest) = rest.rsplit_once('@').map_or(("", rest), |(user, rest)| (user, rest));
    let at = if user.is_empty() { "" } else { "@" };
    let mut parts = rest.split('/');
    let hosts = parts.next().unwrap_or_default();
    let master = parts.next().filter(|name| !name.is_empty()).unwrap_or("mymaster").to_owned();
    let database = parts.next().filter(|number| !number.is_empty()).unwrap_or("0");
    let scheme = scheme.trim_end_matches("+sentinel");
    // The host of a server is not known yet: this reads user, password and database.
    let server = format!("{scheme}://{user}{at}localhost/{database}").into_connection_info()?;
    let mut node = SentinelNodeConnectionInfo::default().set_redis_connection_info(server.redis_settings().clone());
    if scheme == "rediss" {
        node = node.set_tls_mode(TlsMode::Secure);
    }
    let sentinels = hosts.split(',').map(|host| format!("redis://{host}")).collect();
    let client = SentinelClient::build(sentinels, master, Some(node), SentinelServerType::Master)?;
    Ok(Origin::Sentinel(Mutex::new(client)))
}

impl Redis {
    fn ask<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, Failure> {
        let answer = self.connections.ask(|| self.origin.connect(), |connection| command.query(&mut **connection));
        answer.map_err(|error| if error.is_timeout() { Failure::silence(error) } else { Failure::new(error) })
    }
}

impl Origin {
    fn connect(&self) -> RedisResult<Connection> {
        let client = match self {
            Self::Cluster(client, _) => return Ok(Box::new(client.get_connection()?)),
            Self::Server(client) => client.clone(),
            Self::Sentinel(sentinel) => locked(sentinel).get_client()?,
        };
        Ok(Box::new(connected(&client)?))
    }

    /// The servers that have keys: all masters of a cluster.
    fn servers(&self) -> RedisResult<Vec<Client>> {
        match self {
            Self::Server(client) => Ok(vec![client.clone()]),
            Self::Sentinel(sentinel) => Ok(vec![locked(sentinel).get_client()?]),
            Self::Cluster(client, beginning) => {
                let nodes: String = redis::cmd("CLUSTER").arg("NODES").query(&mut client.get_connection()?)?;
                let masters = nodes.lines().filter_map(|node| {
                    let mut words = node.split(' ').skip(1);
                    let address = words.next()?.split('@').next()?;
                    words.next()?.split(',').any(|flag| flag == "master").then_some(address)
                });
                masters.map(|address| Client::open(format!("{beginning}{address}"))).collect()
            }
        }
    }
}

fn connected(client: &Client) -> RedisResult<redis::Connection> {
    let connection = client.get_connection_with_timeout(CONNECT)?;
    connection.set_read_timeout(Some(ANSWER))?;
    connection.set_write_timeout(Some(ANSWER))?;
    Ok(connection)
}

/// Deletes the keys of a server that have this form, some at a time.
fn delete_from(server: &Client, form: &str) -> RedisResult<u64> {
    let mut connection = connected(server)?;
    let (mut cursor, mut count) = (0, 0);
    loop {
        let mut scan = redis::cmd("SCAN");
        scan.arg(cursor).arg("MATCH").arg(form).arg("COUNT").arg(1000);
        let (next, keys): (u64, Vec<String>) = scan.query(&mut connection)?;
        let mut deletions = redis::pipe();
        keys.iter().for_each(|key| _ = deletions.cmd("DEL").arg(key));
        if !keys.is_empty() {
            count += deletions.query::<Vec<u64>>(&mut connection)?.iter().sum::<u64>();
        }
        if next == 0 {
            return Ok(count);
        }
        cursor = next;
    }
}

impl Backend for Redis {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Failure> {
        self.ask(redis::cmd("GET").arg(named(key)))
    }

    fn set(&self, key: &str, value: Vec<u8>, kept_for: Duration) -> Result<(), Failure> {
        self.ask(redis::cmd("SET").arg(named(key)).arg(value).arg("PX").arg(milliseconds(kept_for)))
    }

    fn renew(&self, key: &str, kept_for: Duration) -> Result<bool, Failure> {
        self.ask(redis::cmd("PEXPIRE").arg(named(key)).arg(milliseconds(kept_for)))
    }

    fn delete(&self, key: &str) -> Result<(), Failure> {
        self.ask(redis::cmd("DEL").arg(named(key)))
    }

    fn delete_all(&self, beginning: &str) -> Result<u64, Failure> {
        let form = format!("{}*", named(beginning));
        let servers = self.origin.servers().map_err(Failure::new)?;
        servers.iter().map(|server| delete_from(server, &form)).sum::<RedisResult<u64>>().map_err(Failure::new)
    }

    fn counter(&self) -> Option<&dyn Counter> {
        Some(self)
    }
}

impl Redis {
    /// A script that counts, with its keys.
    fn counting(key: &str, script: &str) -> Cmd {
        let mut command = redis::cmd("EVAL");
        command.arg(script).arg(2);
        for kind in ["expiry", "sizes"] {
            command.arg(format!("toolshape:{{{}}}.{kind}", tenant_of(key)));
        }
        command.arg(key);
        command
    }
}

impl Counter for Redis {
    fn count(&self, key: &str, bytes: u64, kept_for: Duration, most: u64) -> Result<bool, Failure> {
        self.ask(Self::counting(key, COUNT).arg(bytes).arg(milliseconds(kept_for)).arg(most))
    }

    fn count_longer(&self, key: &str, kept_for: Duration) -> Result<(), Failure> {
        let renewed: Result<u64, Failure> =
            self.ask(Self::counting(key, COUNT).arg("").arg(milliseconds(kept_for)).arg(u64::MAX));
        renewed.map(drop)
    }

    fn forget(&self, key_or_tenant: &str) -> Result<(), Failure> {
        let is_tenant = key_or_tenant.len() == TENANT;
        let script = if is_tenant { "redis.call('DEL', KEYS[1], KEYS[2])" } else { FORGET };
        self.ask(&Self::counting(key_or_tenant, script))
    }
}

fn named(key: &str) -> String {
    format!("toolshape:{key}")
}

/// Redis refuses a time that its clock cannot express.
fn milliseconds(kept_for: Duration) -> u64 {
    kept_for.min(crate::store::LONGEST).as_millis() as u64
}
