//! Questions in SQL over texts, and what must not happen to them.

#[path = "ask/compared.rs"]
mod compared;
#[path = "ask/documents.rs"]
mod documents;
#[path = "ask/exact.rs"]
mod exact;
#[path = "ask/hostile.rs"]
mod hostile;
#[path = "ask/hostile_statements.rs"]
mod hostile_statements;
#[path = "ask/known.rs"]
mod known;
#[path = "ask/many_rows.rs"]
mod many_rows;
#[path = "ask/ordinary.rs"]
mod ordinary;
#[path = "ask/printed.rs"]
mod printed;
#[path = "ask/questions.rs"]
mod questions;
