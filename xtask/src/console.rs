//! The output of steps that run in parallel: one is shown live, and the others wait until it has ended.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Mutex;

/// A step that is running, or has ended while another was shown.
struct Page {
    number: usize,
    lines: Vec<String>,
    /// How many of the lines are printed.
    shown: usize,
    has_ended: bool,
}

impl Page {
    fn show(&mut self) {
        for line in &self.lines[self.shown..] {
            println!("{line}");
        }
        self.shown = self.lines.len();
    }
}

/// The first page is shown; the others buffer their output.
static PAGES: Mutex<VecDeque<Page>> = Mutex::new(VecDeque::new());

thread_local! {
    static NUMBER: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Begins a page: the output of this thread from now on is kept together.
pub fn open(number: usize) {
    NUMBER.set(Some(number));
    let mut pages = PAGES.lock().expect("no one panics while printing");
    pages.push_back(Page { number, lines: Vec::new(), shown: 0, has_ended: false });
}

/// Ends this thread's page, and shows the pages that waited for it.
pub fn close() {
    let Some(number) = NUMBER.take() else { return };
    let mut pages = PAGES.lock().expect("no one panics while printing");
    if let Some(page) = pages.iter_mut().find(|page| page.number == number) {
        page.has_ended = true;
    }
    while pages.front().is_some_and(|page| page.has_ended) {
        pages.pop_front();
        if let Some(page) = pages.front_mut() {
            page.show();
        }
    }
}

/// What this thread's page has so far.
pub fn lines() -> Vec<String> {
    let pages = PAGES.lock().expect("no one panics while printing");
    pages.iter().find(|page| Some(page.number) == NUMBER.get()).map(|page| page.lines.clone()).unwrap_or_default()
}

/// The page that this thread prints on.
pub fn page() -> Option<usize> {
    NUMBER.get()
}

/// Makes this thread print on the page of another thread.
pub fn print_on(page: Option<usize>) {
    NUMBER.set(page);
}

/// Prints a line, at once or when its page is shown.
pub fn line(line: impl Into<String>) {
    let line = line.into();
    let mut pages = PAGES.lock().expect("no one panics while printing");
    let Some(at) = pages.iter().position(|page| Some(page.number) == NUMBER.get()) else {
        println!("{line}");
        return;
    };
    pages[at].lines.push(line);
    if at == 0 {
        pages[at].show();
    }
}
