//! What was last known of many things. Of too many the older half is forgotten.

use std::collections::HashMap;
use std::mem;
use std::sync::Mutex;

use crate::lock::locked;

/// Values by their keys: at least half of `most` are there.
pub struct Recent<V> {
    most: usize,
    /// What came since the last forgetting, and before it.
    values: Mutex<[HashMap<String, V>; 2]>,
}

impl<V: Clone> Recent<V> {
    pub fn new(most: usize) -> Self {
        Self { most, values: Mutex::default() }
    }

    pub fn get(&self, key: &str) -> Option<V> {
        locked(&self.values).iter().find_map(|some| some.get(key)).cloned()
    }

    pub fn put(&self, key: String, value: V) {
        let mut values = locked(&self.values);
        if values[0].len() >= self.most.div_ceil(2) {
            values[1] = mem::take(&mut values[0]);
        }
        values[0].insert(key, value);
    }

    pub fn forget(&self, key: &str) {
        locked(&self.values).iter_mut().for_each(|some| _ = some.remove(key));
    }
}
