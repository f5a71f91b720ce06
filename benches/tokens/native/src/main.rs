//! One contender of `cargo xtask bench tokens`, in Rust: reads orders from standard input, carries them
//! out, and answers with nanoseconds. `worker.mjs` and `worker.py` take the same orders.
//!
//! `count FILE`: nanoseconds and tokens of one count. `short FILE BYTES`: nanoseconds a text, of the
//! texts that the file is cut into. `within FILE LIMIT`: nanoseconds to know whether it fits.

use std::{
    env, fs,
    hint::black_box,
    io::{self, BufRead, Write},
    time::Instant,
};
use toolshape::host::{count_tokens, fits_tokens};
use toolshape::Encoding;

type Count = Box<dyn Fn(&str) -> usize>;
type Within = Box<dyn Fn(&str, usize) -> bool>;

fn contender(name: &str) -> (Count, Within) {
    match name {
        "toolshape" => (
            Box::new(|text| count_tokens(text, Encoding::O200kBase)),
            Box::new(|text, limit| fits_tokens(text, limit, Encoding::O200kBase).is_some()),
        ),
        "bpe-openai" => {
            let bpe = bpe_openai::o200k_base();
            (Box::new(|text| bpe.count(text)), Box::new(|text, limit| bpe.count_till_limit(&bpe.normalize(text), limit).is_some()))
        }
        "toktok-rs" => {
            let count = |text: &str, toktok: &toktok::Tokenizer| toktok.count(text.as_bytes());
            let load = || toktok::Tokenizer::builtin("o200k_base").expect("a built-in encoding");
            let (one, two) = (load(), load());
            (Box::new(move |text| count(text, &one)), Box::new(move |text, limit| count(text, &two) <= limit))
        }
        "tiktoken (goliajp)" => {
            let tiktoken = tiktoken::get_encoding("o200k_base").expect("a built-in encoding");
            (Box::new(|text| tiktoken.count(text)), Box::new(|text, limit| tiktoken.count(text) <= limit))
        }
        _ => panic!("no contender is named {name}"),
    }
}

fn main() -> io::Result<()> {
    let name = env::args().nth(1).expect("the name of a contender");
    let start = Instant::now();
    let (count, within) = contender(&name);
    if env::args().nth(2).is_some_and(|arg| arg == "cold") {
        count("Hello, world!");
        println!("{}", start.elapsed().as_nanos());
        return Ok(());
    }
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split('\t').collect();
        let text = fs::read_to_string(words[1])?;
        let number = || words[2].parse::<usize>().expect("a number");
        let start = Instant::now();
        let answer = match words[0] {
            "count" => {
                let tokens = count(&text);
                format!("{} {tokens}", start.elapsed().as_nanos())
            }
            "short" => {
                let texts = pieces(&text, number());
                let start = Instant::now();
                let tokens: usize = texts.iter().map(|text| count(text)).sum();
                format!("{} {tokens}", start.elapsed().as_nanos() / texts.len() as u128)
            }
            _ => {
                let limit = number();
                let start = Instant::now();
                black_box(within(&text, limit));
                format!("{} 0", start.elapsed().as_nanos())
            }
        };
        println!("{answer}");
        io::stdout().flush()?;
    }
    Ok(())
}

/// A text in pieces of `len` characters.
fn pieces(text: &str, len: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(len).map(|chunk| chunk.iter().collect()).collect()
}
