//! Stack traces: which of their lines say what happened, and which are frames.
//!
//! It knows the traces of Python, Java and its relatives, JavaScript, Go, Rust, .NET, Ruby and PHP. A line that is not a frame is
//! taken for a message, so that a form that is not known loses nothing.

use std::collections::HashMap;
use std::ops::Range;

use super::template::masked;
use crate::chars::floor_char;

/// What a line of a stack trace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An exception, a cause, a message, or anything else that is not a frame.
    Said,
    /// What comes before frames and says nothing by itself, such as `Traceback (most recent call last):`.
    Opening,
    /// The first line of a frame.
    Frame,
    /// A further line of a frame: its source code or its place.
    Detail,
    Blank,
}

/// The header of a Python traceback, also inside an exception group.
const PYTHON: &str = "Traceback (most recent call last):";

/// Lines that join two exceptions of Python, with a blank line before and after; Rust's `anyhow` has the last one.
const JOINTS: [&str; 3] = [
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
    "Caused by:",
];

/// Whether a line opens a Python traceback.
pub fn is_python(line: &str) -> bool {
    line.trim_end().ends_with(PYTHON)
}

/// Whether a line opens the frames of a goroutine.
pub fn is_go(line: &str) -> bool {
    line.starts_with("goroutine ") && line.trim_end().ends_with("]:")
}

/// Whether a line is indented and a frame: the one before it says what went wrong.
pub fn is_indented_frame(line: &str) -> bool {
    let (content, margin) = without_margin(line);
    margin > 0 && is_frame(content, margin)
}

/// Whether a line between blank ones joins two parts of one trace.
pub fn is_joint(line: &str) -> bool {
    JOINTS.iter().any(|joint| without_margin(line).0.trim_end() == *joint)
}

/// Whether a line is followed by a blank line and the frames of goroutines.
pub fn is_panic(line: &str) -> bool {
    line.starts_with("panic: ") || line.starts_with("fatal error: ") || line.starts_with("[signal ")
}

/// Whether a line that is not indented goes on with a trace.
pub fn goes_on(line: &str) -> bool {
    let starts: &[&str] = match line.as_bytes().first() {
        Some(b'C') => &["Caused by:"],
        Some(b'a') => &["at "],
        Some(b'.') => &["... "],
        Some(b'S') => &["Suppressed:"],
        Some(b's') => &["stack backtrace:"],
        Some(b'n') => &["note: run with `RUST_BACKTRACE"],
        _ => &[],
    };
    starts.iter().any(|start| line.starts_with(start))
}

/// The roles of consecutive lines.
pub fn roles(lines: &[&str]) -> Vec<Role> {
    let mut roles = Vec::with_capacity(lines.len());
    // The margin of the frame that the next line may belong to.
    let mut frame: Option<usize> = None;
    for (at, line) in lines.iter().enumerate() {
        let (content, margin) = without_margin(line);
        let role = if content.is_empty() {
            Role::Blank
        } else if frame.is_some_and(|frame| margin > frame) {
            Role::Detail
        } else if is_frame(content, margin) || lines.get(at + 1).is_some_and(|next| is_go_place(next)) {
            Role::Frame
        } else if is_opening(content) {
            Role::Opening
        } else {
            Role::Said
        };
        match role {
            Role::Frame => frame = Some(margin),
            Role::Detail => {}
            _ => frame = None,
        }
        roles.push(role);
    }
    roles
}

/// The line without white space and the bars of an exception group, and how much that is.
fn without_margin(line: &str) -> (&str, usize) {
    let content = line.trim_start_matches([' ', '\t', '|']);
    (content.trim_end(), line.len() - content.len())
}

fn is_opening(content: &str) -> bool {
    content.ends_with(PYTHON)
        || content == "stack backtrace:"
        || is_go(content)
        || content.starts_with("+-")
        || is_rule(content)
}

/// Whether a line only draws something.
fn is_rule(content: &str) -> bool {
    content.len() > 3 && content.bytes().all(|byte| b"-+=^~ ".contains(&byte))
}

fn is_frame(content: &str, margin: usize) -> bool {
    let digits = content.bytes().take_while(u8::is_ascii_digit).count();
    let has = |mark: &str| content.contains(mark);
    match content.as_bytes() {
        // Java, JavaScript, .NET, and the places of Rust.
        [b'a', b't', b' ', ..] => (has("(") && has(")")) || (margin > 0 && (has(":") || has(" in ") || has("."))),
        // Python.
        [b'F', b'i', b'l', b'e', b' ', b'"', ..] => has("\", line "),
        // `... 23 more`, `... 3 common frames omitted`.
        [b'.', b'.', b'.', b' ', rest @ ..] => rest.first().is_some_and(u8::is_ascii_digit),
        [b'[', ..] => content.starts_with("[Previous line repeated "),
        // .NET.
        [b'-', b'-', b'-', b' ', ..] => content.starts_with("--- End of "),
        // Ruby.
        [b'f', b'r', b'o', b'm', b' ', ..] => margin > 0 && has(":in "),
        // PHP, debuggers.
        [b'#', rest @ ..] => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            digits > 0 && rest.get(digits) == Some(&b' ') && (has("(") || has("0x") || has("{main}"))
        }
        // Rust: `   0: std::rt::begin_unwind`.
        _ if digits > 0 && margin > 0 => content[digits..].starts_with(": ") && (has("::") || has("0x") || has("main")),
        _ => false,
    }
}

/// Whether a line is the place of a frame in Go, which follows the function's name.
fn is_go_place(line: &str) -> bool {
    line.starts_with('\t') && (line.contains(".go:") || line.contains(".s:"))
}

/// The lines that stay, as ranges, if of each run of frames `frames` stay at both ends. Without frames only the
/// messages stay. Long messages are shortened too.
pub fn condensed(roles: &[Role], frames: usize) -> Vec<Range<usize>> {
    let mut stays = vec![false; roles.len()];
    let mut at = 0;
    while at < roles.len() {
        let is_said = roles[at] == Role::Said;
        let is_frame = |role: &Role| matches!(role, Role::Frame | Role::Detail);
        let run = match roles[at] {
            Role::Said => roles[at..].iter().take_while(|role| **role == Role::Said).count(),
            Role::Frame | Role::Detail => roles[at..].iter().take_while(|role| is_frame(role)).count(),
            Role::Opening | Role::Blank => 1,
        };
        let lines = at..at + run;
        if is_said {
            let (head, tail) = (4 + 4 * frames, 2 + frames);
            lines
                .clone()
                .filter(|line| line - at < head || lines.end - line <= tail)
                .for_each(|line| stays[line] = true);
        } else if roles[at] == Role::Opening {
            stays[at] = frames > 0;
        } else if roles[at] != Role::Blank && frames > 0 {
            let starts: Vec<usize> = lines.clone().filter(|&line| roles[line] == Role::Frame).collect();
            let (first, last) = match (starts.get(frames), starts.len().checked_sub(frames)) {
                (Some(&first), Some(last)) if last > frames => (first, starts[last]),
                _ => (lines.end, lines.end),
            };
            lines.clone().filter(|&line| line < first || line >= last).for_each(|line| stays[line] = true);
        }
        at = lines.end;
    }
    // A blank line stays between lines that stay.
    for line in 1..roles.len().saturating_sub(1) {
        if roles[line] == Role::Blank {
            stays[line] = stays[line - 1] && stays[line + 1];
        }
    }
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for line in (0..roles.len()).filter(|&line| stays[line]) {
        match ranges.last_mut().filter(|range| range.end == line) {
            Some(range) => range.end += 1,
            None => ranges.push(line..line + 1),
        }
    }
    ranges
}

/// The one line that says most: the first, unless frames come before the exception.
pub fn gist(roles: &[Role]) -> usize {
    match roles.first() {
        Some(Role::Opening | Role::Frame) => roles.iter().rposition(|role| *role == Role::Said).unwrap_or(0),
        _ => 0,
    }
}

/// Frames that a text has at least to be a stack trace.
const MIN_FRAMES: usize = 6;

/// Whether lines are a stack trace: half of them are frames, and there is a message.
pub fn is_trace(lines: &[&str]) -> bool {
    let roles = roles(lines);
    let count = |wanted: &[Role]| roles.iter().filter(|role| wanted.contains(role)).count();
    let frames = count(&[Role::Frame]);
    let filled = roles.len() - count(&[Role::Blank]);
    frames >= MIN_FRAMES && 2 * (frames + count(&[Role::Detail])) >= filled && count(&[Role::Said]) > 0
}

/// Fewer stacks are those of one failure.
const MIN_STACKS: usize = 4;
/// The bytes of a line by which stacks are compared.
const FORM_BYTES: usize = 160;

/// The paragraphs of a dump of many threads, those unlike the others first: of rare forms are the heading of the thread that
/// crashed, and the frame where it did or waits. Empty for any other trace.
pub fn stacks(lines: &[&str], roles: &[Role]) -> Vec<Range<usize>> {
    let mut paragraphs: Vec<Range<usize>> = Vec::new();
    for at in (0..roles.len()).filter(|&at| roles[at] != Role::Blank) {
        match paragraphs.last_mut().filter(|paragraph| paragraph.end == at) {
            Some(paragraph) => paragraph.end += 1,
            None => paragraphs.push(at..at + 1),
        }
    }
    let top = |paragraph: &Range<usize>| paragraph.clone().find(|&at| roles[at] == Role::Frame);
    let count = paragraphs.iter().filter(|paragraph| top(paragraph).is_some_and(|at| at > paragraph.start)).count();
    if count < MIN_STACKS || lines.iter().any(|line| is_joint(line)) {
        return Vec::new();
    }
    let form = |at: usize| masked(&lines[at][..floor_char(lines[at], FORM_BYTES)]);
    let forms: Vec<[String; 2]> =
        paragraphs.iter().map(|own| [form(own.start), top(own).map_or(String::new(), form)]).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    forms.iter().flatten().for_each(|form| *counts.entry(form).or_insert(0) += 1);
    let mut order: Vec<usize> = (0..paragraphs.len()).collect();
    order.sort_by_key(|&at| forms[at].each_ref().map(|form| counts[form.as_str()]));
    order.into_iter().map(|at| paragraphs[at].clone()).collect()
}

/// The heading of a stack and its first frames.
pub fn top(stack: &Range<usize>, roles: &[Role], frames: usize) -> Range<usize> {
    let mut starts = stack.clone().filter(|&at| roles[at] == Role::Frame);
    stack.start..starts.nth(frames).unwrap_or(stack.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, frames: usize) -> Vec<&str> {
        let lines: Vec<&str> = text.lines().collect();
        condensed(&roles(&lines), frames)
            .into_iter()
            .flat_map(|range| lines[range].to_vec())
            .filter(|line| !line.is_empty())
            .collect()
    }

    fn framed(head: &str, frame: impl Fn(usize) -> String, tail: &str) -> String {
        format!("{head}\n{}{tail}", (0..30).map(|at| frame(at) + "\n").collect::<String>())
    }

    #[test]
    fn what_is_said_stays_without_the_frames() {
        let java = framed("java.lang.IllegalStateException: a", |at| format!("\tat com.x.Y.z{at}(Y.java:{at})"), "")
            + "\tSuppressed: java.io.IOException: s\n\t\tat com.x.Y.s(Y.java:1)\n"
            + "Caused by: java.io.IOException: b\n\tat com.x.Y.q(Y.java:9)\n\t... 23 more\n";
        assert_eq!(
            shown(&java, 0),
            [
                "java.lang.IllegalStateException: a",
                "\tSuppressed: java.io.IOException: s",
                "Caused by: java.io.IOException: b"
            ]
        );
        let frame = |at: usize| format!("  File \"/app/a.py\", line {at}, in f\n    g({at})\n    ^^^^");
        let python = framed(PYTHON, frame, "KeyError: 'a'\n\n")
            + "During handling of the above exception, another exception occurred:\n\n"
            + &framed(PYTHON, frame, "ValueError: no\n");
        assert_eq!(shown(&python, 0), ["KeyError: 'a'", JOINTS[0], "ValueError: no"]);
        assert_eq!(shown(&python, 1).len(), 2 * (1 + 6 + 1) + 1, "{:?}", shown(&python, 1));
        let node =
            framed("/app/x.js:3\n  throw e\n  ^\n\nTypeError: x", |at| format!("    at f{at} (/app/x.js:{at}:5)"), "")
                + "  [cause]: Error: y\n      at g (/app/y.js:1:1)\n}\n";
        assert_eq!(shown(&node, 0), ["/app/x.js:3", "  throw e", "  ^", "TypeError: x", "  [cause]: Error: y", "}"]);
        let go = framed(
            "panic: boom\n\ngoroutine 1 [running]:",
            |at| format!("main.f{at}(0x1)\n\t/app/main.go:{at} +0x1d"),
            "exit status 2\n",
        );
        assert_eq!(shown(&go, 0), ["panic: boom", "exit status 2"]);
        let rust = framed(
            "thread 'main' panicked at src/main.rs:2:5:\nno\nstack backtrace:",
            |at| format!("  {at:>2}: core::f{at}\n             at /rustc/x.rs:{at}:1"),
            "note: Some details are omitted\n",
        );
        assert_eq!(
            shown(&rust, 0),
            ["thread 'main' panicked at src/main.rs:2:5:", "no", "note: Some details are omitted"]
        );
        let net = framed(
            "Unhandled exception. System.Exception: a\n ---> System.Exception: b",
            |at| format!("   at A.B{at}() in /a.cs:line {at}"),
            "   --- End of inner exception stack trace ---\n   at A.Main()\n",
        );
        assert_eq!(shown(&net, 0), ["Unhandled exception. System.Exception: a", " ---> System.Exception: b"]);
        for text in [&java, &python, &node, &go, &rust, &net] {
            assert!(is_trace(&text.lines().collect::<Vec<_>>()), "{text}");
        }
    }

    #[test]
    fn the_thread_unlike_the_others_is_first() {
        let pool = |frame: &str| (0..9).map(|at| frame.replace('N', &at.to_string())).collect::<String>();
        let go = pool("goroutine 1N [IO wait]:\nnet.read(0x1)\n\t/go/net.go:3 +0x1\n\n")
            + "goroutine 1 [running]:\nmain.crash(0x0)\n\t/app/main.go:9 +0x1\n\n";
        let java = pool("\"pool-N\" #1N waiting on condition\n\tat a.Park.park(Park.java:1)\n\tat a.B.c(B.java:2)\n\n")
            + "\"web\" #99 waiting for monitor entry\n\tat shop.Stock.lock(Stock.java:7)\n\tat a.B.c(B.java:2)\n\n";
        let python = pool(
            "Thread 0xN (most recent call first):\n  File \"a.py\", line 3 in wait\n  File \"b.py\", line 4 in run\n\n",
        ) + "Current thread 0x99 (most recent call first):\n  File \"c.py\", line 5 in crash\n\n";
        let gdb = pool("Thread N (LWP N):\n#0  0x1 in poll () from libc.so\n#1  0x2 in run () from libc.so\n\n")
            + "Thread 42 (LWP 42):\n#0  0x1 in evict (this=0x0) at a.cc:1\n#1  0x2 in run () from libc.so\n\n";
        for (text, wanted) in [(&go, "main.crash"), (&java, "Stock.lock"), (&python, "in crash"), (&gdb, "evict")] {
            let lines: Vec<&str> = text.lines().collect();
            let roles = roles(&lines);
            let first = stacks(&lines, &roles).first().map(|stack| lines[top(stack, &roles, 1)].join("\n"));
            assert!(first.as_ref().is_some_and(|first| first.contains(wanted)), "{first:?}");
        }
        let one = framed("E: x", |at| format!("\tat a.B.c{at}(B.java:{at})"), "Caused by: y\n");
        let lines: Vec<&str> = one.lines().collect();
        assert!(stacks(&lines, &roles(&lines)).is_empty());
    }

    #[test]
    fn frames_stay_at_both_ends() {
        let text = framed("E: x", |at| format!("\tat a.B.c{at}(B.java:{at})"), "Caused by: y\n");
        let kept = shown(&text, 2);
        assert_eq!(kept.len(), 6);
        assert!(kept[2].contains("c1(") && kept[3].contains("c28("), "{kept:?}");
        assert_eq!(shown(&text, 15).len(), 32);
    }

    #[test]
    fn an_exception_group_is_read_through_its_bars() {
        let text = "  + Exception Group Traceback (most recent call last):\n  |   File \"a.py\", line 1, in f\n  |     g()\n  \
                    | ExceptionGroup: many (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | ValueError: a\n    \
                    +---------------- 2 ----------------\n    | TypeError: b\n    +------------------------------------\n";
        assert_eq!(
            shown(text, 0),
            ["  | ExceptionGroup: many (2 sub-exceptions)", "    | ValueError: a", "    | TypeError: b"]
        );
    }

    #[test]
    fn other_texts_are_no_traces() {
        for text in [
            "a:\n  0: x\n  1: y\n  2: z\n  3: x\n  4: y\n  5: z\n  6: z\n",
            "at noon\nat night\nat home\nat sea\nat rest\nat war\nat peace\nat last\n",
            "$ ls\na b\n$ python x.py\nTraceback (most recent call last):\n  File \"x.py\", line 1, in f\nValueError\n$ pwd\n/\n",
            "# One\n\n## Two\n\n### Three\n\n- a\n- b\n",
            "#1 is best\n#2 is good\n#3 is so so\n#4 is bad\n#5 is worse\n#6 is worst\n#7 none\n",
        ] {
            assert!(!is_trace(&text.lines().collect::<Vec<_>>()), "{text}");
        }
    }
}
