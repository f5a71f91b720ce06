//! The files that `docs/plain_wasm.md` shows.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::layout::Layout;

const PAGE: &str = "docs/plain_wasm.md";

/// Writes files of the page, as they stand there, into a folder.
pub fn write(layout: &Layout, names: &[&str], folder: &Path) -> Result<()> {
    let page = fs::read_to_string(layout.path(PAGE)).with_context(|| format!("cannot read {PAGE}"))?;
    fs::create_dir_all(folder)?;
    for name in names {
        let code = code(&page, name).with_context(|| format!("{PAGE} has no code after <!-- file: {name} -->"))?;
        let file = folder.join(name);
        // A file that stays keeps its time, so that cargo compiles nothing again.
        if fs::read_to_string(&file).ok().as_deref() != Some(code) {
            fs::write(file, code)?;
        }
    }
    Ok(())
}

/// The code in the block after the mark of a file.
fn code<'p>(page: &'p str, name: &str) -> Option<&'p str> {
    let (_, block) = page.split_once(&format!("<!-- file: {name} -->\n```"))?;
    let (_, code) = block.split_once('\n')?;
    let end = code.find("\n```")?;
    Some(&code[..=end])
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn a_file_is_the_block_after_its_mark() {
        let page = "text\n<!-- file: a.py -->\n```py\nx = 1\n\ny = 2\n```\n\n```py\nz = 3\n```\n";
        assert_eq!(code(page, "a.py"), Some("x = 1\n\ny = 2\n"));
        assert_eq!(code(page, "b.py"), None);
    }
}
