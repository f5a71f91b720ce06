//! What the line does in a server, called by the SDK's own client in this process; the table of behaviours is tried elsewhere.

mod caller;
mod forwarding;
mod names;
mod privacy;
mod stores;
mod tasks;
mod tools;
