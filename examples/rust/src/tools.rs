//! The tools of the articles, as one writes them at first: what the database gives is what the model has to read.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::{tool, tool_router};
use serde_json::{Value, json};

use crate::articles::Articles;

pub struct Tools {
    articles: Articles,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Slug {
    slug: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Query {
    query: String,
}

impl Tools {
    pub fn of(articles: Articles) -> Self {
        Self { articles }
    }
}

#[tool_router(server_handler)]
impl Tools {
    /// Lists the published articles, the newest first
    #[tool]
    fn list_articles(&self) -> Result<String, String> {
        answer(self.articles.published())
    }

    /// Opens one article
    #[tool]
    fn get_article(&self, Parameters(Slug { slug }): Parameters<Slug>) -> Result<String, String> {
        let missing = json!({ "error": "NOT_FOUND", "slug": slug });
        answer(self.articles.get(&slug).map(|article| article.unwrap_or(missing)))
    }

    /// Finds articles whose text has the words of the query
    #[tool]
    fn search(&self, Parameters(Query { query }): Parameters<Query>) -> Result<String, String> {
        answer(self.articles.search(&query))
    }

    /// The weather of Seattle from 2012 to 2015, day by day
    #[tool]
    fn weather(&self) -> Result<String, String> {
        answer(self.articles.weather())
    }

    /// How a trading rule did with each pair of its two parameters
    #[tool]
    fn sweep(&self) -> Result<String, String> {
        answer(self.articles.sweep())
    }
}

fn answer<T: Into<Value>>(found: rusqlite::Result<T>) -> Result<String, String> {
    found.map(|value| value.into().to_string()).map_err(|error| error.to_string())
}
