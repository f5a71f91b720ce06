//! A limit that tenants share: each has at most as much as it leaves free, so that no one takes all.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::lock::locked;

/// A number of places.
pub struct Share {
    most: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    all: usize,
    by_tenant: HashMap<Arc<str>, usize>,
}

/// A place that is taken until this is dropped.
pub struct TakenPlace {
    share: Arc<Share>,
    tenant: Arc<str>,
}

impl Share {
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, taken: Mutex::default() })
    }

    /// A place for a tenant; none if there is none, or if others need what is left.
    pub fn take(self: &Arc<Self>, tenant: &Arc<str>) -> Option<TakenPlace> {
        let mut taken = locked(&self.taken);
        let own = taken.by_tenant.get(tenant).copied().unwrap_or_default();
        if !may_take(self.most, taken.all, own) {
            return None;
        }
        taken.all += 1;
        *taken.by_tenant.entry(Arc::clone(tenant)).or_default() += 1;
        Some(TakenPlace { share: Arc::clone(self), tenant: Arc::clone(tenant) })
    }

    /// The places that are taken.
    pub fn all(&self) -> usize {
        locked(&self.taken).all
    }
}

impl Drop for TakenPlace {
    fn drop(&mut self) {
        let mut taken = locked(&self.share.taken);
        taken.all -= 1;
        if let Some(own) = taken.by_tenant.get_mut(&self.tenant) {
            *own -= 1;
            if *own == 0 {
                taken.by_tenant.remove(&self.tenant);
            }
        }
    }
}

/// Whether a tenant that has `own` of `all` places that are taken may have another one of `most`.
pub fn may_take(most: usize, all: usize, own: usize) -> bool {
    own < most.saturating_sub(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenant_leaves_as_much_as_it_takes() {
        for (most, wanted) in [(1, 1), (2, 1), (3, 2), (100, 50)] {
            let share = Share::new(most);
            let own: Vec<TakenPlace> = std::iter::from_fn(|| share.take(&"one".into())).collect();
            assert_eq!(own.len(), wanted);
            assert_eq!(share.take(&"two".into()).is_some(), most > 1);
            drop(own);
            assert_eq!(share.all(), 0);
            assert!(locked(&share.taken).by_tenant.is_empty());
        }
    }

    #[test]
    fn many_tenants_together_have_all() {
        let share = Share::new(10);
        let all: Vec<TakenPlace> = (0..20).filter_map(|tenant| share.take(&tenant.to_string().into())).collect();
        assert_eq!(all.len(), 10);
    }
}
