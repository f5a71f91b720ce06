//! The order of steps: each runs after the steps that it needs, and one more runs in parallel than there are cores.

use std::sync::{Condvar, Mutex};
use std::thread;

use crate::steps::Step;

/// With more at a time, timing tests fail because they do not get a core.
const MOST: usize = 4;

/// The state of each step: waiting, running, or ended with an answer.
enum State<Answer> {
    Waits,
    Runs,
    Ended(Answer),
}

/// Runs the steps and returns the answers of `work`, in order.
pub fn run<Answer: Send>(steps: &[&Step], work: impl Fn(usize, &Step) -> Answer + Sync) -> Vec<Answer> {
    let states: Mutex<Vec<State<Answer>>> = Mutex::new(steps.iter().map(|_| State::Waits).collect());
    let changed = Condvar::new();
    // One more than there are cores: a step often waits for a server, a disk or a registry.
    let lanes = thread::available_parallelism().map_or(3, |cores| (cores.get() + 1).clamp(3, MOST));
    let worker = || {
        let mut guard = states.lock().expect("no step panics while it is noted");
        while guard.iter().any(|state| matches!(state, State::Waits)) {
            let Some(at) = (0..steps.len()).find(|&at| is_ready(at, steps, &guard)) else {
                guard = changed.wait(guard).expect("no step panics while it is noted");
                continue;
            };
            guard[at] = State::Runs;
            drop(guard);
            let answer = work(at, steps[at]);
            guard = states.lock().expect("no step panics while it is noted");
            guard[at] = State::Ended(answer);
            changed.notify_all();
        }
    };
    thread::scope(|scope| (0..lanes).for_each(|_| drop(scope.spawn(worker))));
    let states = states.into_inner().expect("no step panics while it is noted");
    let answer = |state| match state {
        State::Ended(answer) => Some(answer),
        State::Waits | State::Runs => None,
    };
    states.into_iter().filter_map(answer).collect()
}

/// Whether a step waits only for a lane.
fn is_ready<Answer>(at: usize, steps: &[&Step], states: &[State<Answer>]) -> bool {
    let ready = |other: usize| match states[other] {
        State::Ended(_) => true,
        State::Waits => !steps[at].needs.contains(&steps[other].name),
        State::Runs => !steps[at].needs.contains(&steps[other].name) && !share(steps[at], steps[other]),
    };
    matches!(states[at], State::Waits) && (0..steps.len()).filter(|&other| other != at).all(ready)
}

/// Whether two steps use something that only one step may use at a time.
fn share(one: &Step, other: &Step) -> bool {
    one.alone_with.iter().any(|thing| other.alone_with.contains(thing))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::{run, share};
    use crate::steps::{STEPS, Step};

    #[test]
    fn a_step_runs_after_what_it_needs_and_never_beside_what_it_shares_with() {
        let steps: Vec<&Step> = STEPS.iter().collect();
        let running = Mutex::new(Vec::<&Step>::new());
        let ended = Mutex::new(Vec::new());
        let order = run(&steps, |at, _| {
            let step = steps[at];
            for needed in step.needs {
                assert!(ended.lock().unwrap().contains(needed), "{} runs before {needed}", step.name);
            }
            let mut now = running.lock().unwrap();
            assert!(now.iter().all(|other| !share(step, other)), "{} runs beside what it shares with", step.name);
            now.push(step);
            drop(now);
            std::thread::yield_now();
            running.lock().unwrap().retain(|other| other.name != step.name);
            ended.lock().unwrap().push(step.name);
            at
        });
        assert_eq!(order, Vec::from_iter(0..STEPS.len()));
    }

    #[test]
    fn every_need_is_a_step() {
        for need in STEPS.iter().flat_map(|step| step.needs) {
            assert!(STEPS.iter().any(|step| step.name == *need), "no step is named {need}");
        }
    }
}
