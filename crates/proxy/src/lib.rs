//! toolshape in front of servers of others, without I/O: [`Relay`] shapes a conversation, [`Survey`] measures a
//! server.
#![forbid(unsafe_code)]

mod account;
mod address;
mod channels;
mod claude_code;
mod frames;
mod lenient_json;
mod relay;
mod survey;

pub use account::{Counted, CountedKind, tokens_of_own_tool};
pub use address::{Address, without_passwords};
pub use claude_code::{HOOKED_TOOLS, SERVERS_TOOLS, hook_output, hook_texts};
pub use frames::{Frame, Frames, ReadEvent, read_event, write_event};
pub use lenient_json::read as read_lenient_json;
pub use relay::log::noise;
pub use relay::{
    AskedSource, Effect, Http, HttpEffect, HttpHead, HttpRequest, KnownTools, LINE_BYTES, LongLine, MessageHead,
    OF_RELAY, ReaderPlace, Relay, RelayOptions, ServiceOption, StoreOption, StoreReply, StoreRequest, Turns,
    answer_without_tools, decoded, heads, id_key, member_of,
};
pub use survey::client::{Survey, SurveyEffect};
pub use survey::configuration::ConfiguredServer;
pub use survey::lint::Lint;
pub use survey::measured::Measured;
pub use survey::numbers::grouped;
pub use survey::seen::Seen;
pub use survey::surveyed::Surveyed;
