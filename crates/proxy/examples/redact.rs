//! Redacts a file, and says how long it took and how much memory:
//! `cargo run --release -p toolshape-proxy --example redact -- FILE password,user.email 'sk-*' > redacted`.

use std::io::Write;
use std::time::Instant;

use toolshape::host::Redaction;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: redact FILE [FIELDS [PATTERNS]]")?;
    let lists = [arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default()];
    let [fields, texts] =
        lists.each_ref().map(|list| list.split(',').filter(|name| !name.is_empty()).collect::<Vec<_>>());
    let redaction = Redaction::new(&fields, &texts)?;
    let text = String::from_utf8_lossy(&std::fs::read(path)?).into_owned();
    let began = Instant::now();
    let redacted = redaction.of_text(&text);
    let seconds = began.elapsed().as_secs_f64();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("unknown").trim().to_owned();
    std::io::stdout().write_all(redacted.as_ref().unwrap_or(&text).as_bytes())?;
    writeln!(
        std::io::stderr(),
        "{} bytes in {seconds:.2} s, at most {most}, {}",
        text.len(),
        if redacted.is_some() { "redacted" } else { "unchanged" }
    )?;
    Ok(())
}
