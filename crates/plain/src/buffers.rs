//! The buffers that the host has, by their addresses.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ptr;

thread_local! {
    static BUFFERS: RefCell<BTreeMap<usize, Vec<u8>>> = const { RefCell::new(BTreeMap::new()) };
}

/// The address of a new buffer of `size` bytes, all zero; null if there is no memory for it.
pub fn make(size: usize) -> *mut u8 {
    let mut buffer = Vec::new();
    if buffer.try_reserve_exact(size.max(1)).is_err() {
        return ptr::null_mut();
    }
    buffer.resize(size, 0);
    keep(buffer)
}

/// The address of a buffer, which is kept for the host.
pub fn keep(mut buffer: Vec<u8>) -> *mut u8 {
    // A vector without memory has no address of its own; one that is full would get twice as much.
    if buffer.capacity() == 0 {
        buffer.reserve(1);
    }
    let address = buffer.as_mut_ptr();
    BUFFERS.with_borrow_mut(|buffers| buffers.insert(address as usize, buffer));
    address
}

/// The buffer at an address, which the host has no longer.
pub fn take(address: *mut u8) -> Option<Vec<u8>> {
    BUFFERS.with_borrow_mut(|buffers| buffers.remove(&(address as usize)))
}
