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

    let options = ServeOptions::new(&asked.options()?)?;
    let place = options.store();
    let (store, kept_for) = OpenStore::open(&place)?.into_shared();
    let store = (place != StoreOption::None).then_some(store);
    toolshape_gateway::serve(Gateway::new(options, store, kept_for)?)
}

/// There is no gateway in this build.
#[cfg(not(feature = "serve"))]
pub fn run(_: &ServeArguments) -> Result<u8> {
    use crate::misuse::Misuse;
    anyhow::bail!(Misuse("serve is not in this build: cargo install toolshape-cli"))
}
