//! A list that grows without a copy of itself, so that it never takes more memory than its items.

/// Items of a chunk.
const CHUNK: usize = 1 << 10;

pub(super) struct LongList<T> {
    /// All but the last are full.
    chunks: Vec<Vec<T>>,
}

impl<T: Copy> LongList<T> {
    pub fn new() -> Self {
        Self { chunks: Vec::new() }
    }

    pub fn push(&mut self, item: T) {
        match self.chunks.last_mut().filter(|chunk| chunk.len() < CHUNK) {
            Some(chunk) => chunk.push(item),
            None => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(item);
                self.chunks.push(chunk);
            }
        }
    }

    pub fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.len())
    }

    pub fn get(&self, at: usize) -> T {
        self.chunks[at / CHUNK][at % CHUNK]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_where_they_were_put() {
        let mut list = LongList::new();
        assert_eq!(list.len(), 0);
        for at in 0..3 * CHUNK + 1 {
            list.push(at);
            assert_eq!((list.len(), list.get(at)), (at + 1, at));
        }
        assert!((0..list.len()).all(|at| list.get(at) == at));
    }
}
