//! What a model calls at once, so that its results together keep to `combinedTokens`.
//!
//! A model calls again after it has read the results of its last turn, so calls between which no result was sent are one turn. A
//! host that runs them one after the other has turns of one call, which have no limit of their own. A result is sent when it
//! is there: it takes an equal share of what the turn has left for the results that are still to come.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The turns with results to come, by their conversations and numbers.
#[derive(Clone, Default)]
pub struct Turns(Arc<Mutex<BTreeMap<TurnKey, Turn>>>);

type TurnKey = (Arc<str>, u64);

#[derive(Default)]
struct Turn {
    calls: usize,
    open: usize,
    spent: usize,
    /// Whether a result was sent, so that later calls are another turn.
    is_over: bool,
}

/// The place of a call in its turn, until it is answered or dropped.
pub(super) struct Place {
    turns: Turns,
    key: TurnKey,
}

impl Turns {
    /// The place of a call that comes now.
    pub(super) fn enter(&self, session: &Arc<str>) -> Place {
        let mut all = self.all();
        let of = |number| (Arc::clone(session), number);
        let last = all.range(of(0)..=of(u64::MAX)).next_back();
        let (last, is_over) = last.map_or((0, true), |((_, number), turn)| (*number, turn.is_over));
        let key = of(last + u64::from(is_over));
        let turn = all.entry(key.clone()).or_default();
        (turn.calls, turn.open) = (turn.calls + 1, turn.open + 1);
        Place { turns: self.clone(), key }
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<TurnKey, Turn>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// The most tokens of the result, of `combined` for the turn; none for a call that is alone.
    pub fn share(&self, combined: usize) -> Option<usize> {
        let all = self.turns.all();
        let turn = all.get(&self.key).filter(|turn| turn.calls > 1)?;
        Some(combined.saturating_sub(turn.spent) / turn.open.max(1))
    }

    /// The result is sent, with these tokens.
    pub fn spend(&self, tokens: usize) {
        if let Some(turn) = self.turns.all().get_mut(&self.key) {
            turn.spent += tokens;
            turn.is_over = true;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut all = self.turns.all();
        if let Some(turn) = all.get_mut(&self.key) {
            turn.open = turn.open.saturating_sub(1);
            if turn.open == 0 {
                all.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_without_a_result_between_them_share_a_turn() {
        let (turns, [one, two]) = (Turns::default(), ["one", "two"].map(Arc::from));
        let others = turns.enter(&two);
        let alone = turns.enter(&one);
        assert_eq!(alone.share(6000), None);
        let other = turns.enter(&one);
        assert_eq!((alone.share(6000), other.share(6000)), (Some(3000), Some(3000)));
        alone.spend(1000);
        drop(alone);
        assert_eq!(other.share(6000), Some(5000));
        let later = turns.enter(&one);
        assert_eq!((later.share(6000), other.share(6000)), (None, Some(5000)));
        drop((other, later));
        assert_eq!((turns.enter(&one).share(6000), others.share(6000)), (None, None));
    }
}
