//! Many rows of JSON, CSV and log lines that say the same: for the tests and the benchmark.

use std::fmt::Write;

const GENRES: [&str; 6] = ["Drama", "Comedy", "Action", "Horror", "Western", "Musical"];

pub fn json(rows: usize) -> String {
    let mut out = String::from("[");
    for at in 0..rows {
        let comma = if at > 0 { "," } else { "" };
        let (genre, rating, gross, votes) = (GENRES[at % 6], at * 37 % 100, at * 7919 % 1_000_003, at * 31 % 5000);
        write!(
            out,
            "{comma}{{\"id\":{at},\"title\":\"The movie {at} of the long evening\",\"genre\":\"{genre}\",\"rating\":{}.{},\"gross\":{gross},\
             \"votes\":{votes},\"director\":\"Person {} of somewhere\",\"info\":{{\"mpaa\":\"PG-13\",\"city\":\"City {}\",\"minutes\":{}}},\"note\":null}}",
            rating / 10,
            rating % 10,
            at % 977,
            at % 50,
            at % 180
        )
        .expect("writing to a String cannot fail");
    }
    out + "]"
}

pub fn csv(rows: usize) -> String {
    let mut out = String::from("id,title,genre,rating,gross,votes,director,place,minutes\n");
    for at in 0..rows {
        let rating = at * 37 % 100;
        writeln!(
            out,
            "{at},The movie {at} of the long evening,{},{}.{},{},{},Person {} of somewhere,City {},{}",
            GENRES[at % 6],
            rating / 10,
            rating % 10,
            at * 7919 % 1_000_003,
            at * 31 % 5000,
            at % 977,
            at % 50,
            at % 180
        )
        .expect("writing to a String cannot fail");
    }
    out
}

pub fn log(rows: usize) -> String {
    let mut out = String::new();
    for at in 0..rows {
        let level = ["INFO", "INFO", "WARN", "DEBUG", "ERROR"][at * 7 % 5];
        writeln!(
            out,
            "2026-11-20 10:{:02}:{:02},{:03} {level} [worker-{}] request {at} of user u{} on /api/items/{} ended, duration: {} ms",
            at / 60 % 60,
            at % 60,
            at % 1000,
            at % 8,
            at % 313,
            at % 1009,
            at * 13 % 4000
        )
        .expect("writing to a String cannot fail");
    }
    out
}
