//! `toolshape serve`: a gateway in front of servers.

use anyhow::Result;

use crate::arguments::ServeArguments;

/// Answers requests until a signal ends the process.
///
/// # Errors
/// Options that cannot be read, a store that cannot be opened, an address that cannot be listened on.
#[cfg(feature = "serve")]
pub fn run(asked: &ServeArguments) -> Result<u8> {
    use crate::store::OpenStore;
    use toolshape_gateway::{Gateway, ServeOptions};
    use toolshape_proxy::StoreOption;

    let options = asked.options()?;
    let is_processor = asked.ext_proc || asked.ext_mcp;
    let options = if is_processor { of_processor(asked, &options)? } else { ServeOptions::new(&options)? };
    let place = options.store();
    let (store, kept_for) = OpenStore::open(&place)?.into_shared();
    let store = (place != StoreOption::None).then_some(store);
    toolshape_gateway::serve(Gateway::new(options, store, kept_for)?)
}

#[cfg(feature = "ext-proc")]
fn of_processor(asked: &ServeArguments, options: &serde_json::Value) -> Result<toolshape_gateway::ServeOptions> {
    use toolshape_gateway::Engine;
    let engine = if asked.ext_mcp { Engine::Agentgateway } else { Engine::Envoy };
    Ok(toolshape_gateway::ServeOptions::of_processor(options, engine)?)
}

#[cfg(all(feature = "serve", not(feature = "ext-proc")))]
fn of_processor(_: &ServeArguments, _: &serde_json::Value) -> Result<toolshape_gateway::ServeOptions> {
    use crate::misuse::Misuse;
    anyhow::bail!(Misuse(
        "--ext-proc and --ext-mcp are not in this build: cargo install toolshape-cli --features ext-proc"
    ))
}

/// There is no gateway in this build.
#[cfg(not(feature = "serve"))]
pub fn run(_: &ServeArguments) -> Result<u8> {
    use crate::misuse::Misuse;
    anyhow::bail!(Misuse("serve is not in this build: cargo install toolshape-cli"))
}
