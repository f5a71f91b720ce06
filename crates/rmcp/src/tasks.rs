//! Tasks: a call may be answered by a task, and `tasks/get` then returns what the tool returned.

use std::collections::{BTreeMap, VecDeque};

use crate::call::CallMembers;

/// The most calls that are remembered. The oldest are dropped, so that tasks that are never fetched do not use memory for ever.
const REMEMBERED: usize = 1000;

/// The call of each task, by the task's id.
#[derive(Default)]
pub struct Tasks {
    asked: BTreeMap<String, CallMembers>,
    order: VecDeque<String>,
}

impl Tasks {
    pub fn remember(&mut self, id: String, asked: CallMembers) {
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
    pub fn of(&self, id: &str) -> Option<&CallMembers> {
        self.asked.get(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten() {
        let mut tasks = Tasks::default();
        for id in 0..=REMEMBERED {
            tasks.remember(id.to_string(), CallMembers::new());
        }
        assert!(tasks.of("0").is_none() && tasks.of("1").is_some() && tasks.of("1000").is_some());
    }
}
