//! Calls that a server runs as tasks: what a task returns is shaped as the result of its call.

use std::collections::{BTreeMap, VecDeque};

/// The most calls that are remembered. The oldest are dropped, so that tasks that are never fetched do not use memory for ever.
const REMEMBERED: usize = 1000;

/// What is known of the call of each task, by the task's id.
#[derive(Clone, Debug)]
pub struct Tasks<C> {
    asked: BTreeMap<String, C>,
    order: VecDeque<String>,
}

impl<C> Default for Tasks<C> {
    fn default() -> Self {
        Self { asked: BTreeMap::new(), order: VecDeque::new() }
    }
}

impl<C> Tasks<C> {
    pub fn remember(&mut self, id: String, asked: C) {
        if self.asked.insert(id.clone(), asked).is_none() {
            self.order.push_back(id);
        }
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.asked.remove(&oldest);
        }
    }

    /// The call of a task; nothing if it was dropped, or another process received it.
    pub fn of(&self, id: &str) -> Option<&C> {
        self.asked.get(id)
    }

    /// From the oldest on.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &C)> {
        self.order.iter().filter_map(|id| Some((id, self.asked.get(id)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten() {
        let mut tasks = Tasks::default();
        for id in 0..=REMEMBERED {
            tasks.remember(id.to_string(), id);
        }
        assert!(tasks.of("0").is_none() && tasks.of("1").is_some() && tasks.of("1000").is_some());
        assert_eq!(tasks.iter().count(), REMEMBERED);
    }
}
