//! Blocks of lines for the relay. A block is copied into the module's memory once, and the parts that pass are not copied back:
//! steps give their places. The host keeps the bytes until it has carried out the steps.

use std::cell::RefCell;

use wasm_bindgen::prelude::*;

use super::answer::to_js;
use super::outcome::fault;

thread_local! {
    /// Where the host writes a block.
    static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A larger room is freed after its block.
const KEPT_ROOM: usize = 1 << 20;

/// The address in memory where the host writes a block of this many bytes.
#[wasm_bindgen(js_name = relayRoom)]
pub fn relay_room(bytes: usize) -> *const u8 {
    ROOM.with_borrow_mut(|room| {
        if room.len() < bytes {
            *room = vec![0; bytes];
        }
        room.as_ptr()
    })
}

/// What to do with the block in the room: lines of one side, each with its end, which the last may lack. `now` is in Unix
/// seconds. Undefined if all of it passes.
#[wasm_bindgen(js_name = relayLines)]
pub fn relay_lines(relay: usize, is_client: bool, bytes: usize, now: f64) -> JsValue {
    let mut room = ROOM.take();
    let steps = toolshape_methods::relay_lines(relay as u64, &room[..bytes], is_client, now as u64);
    if room.len() > KEPT_ROOM {
        room = Vec::new();
    }
    ROOM.replace(room);
    match steps {
        Ok(None) => JsValue::UNDEFINED,
        Ok(Some(steps)) => to_js(steps),
        Err(error) => fault(error),
    }
}
