//! A server as its author writes it, with the SDK's macros.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::{Json, tool, tool_router};
use toolshape_rmcp::{json, shape};

use crate::caller::{ask, call, client, said};

struct Articles;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Years {
    first: u32,
    #[serde(default)]
    page: u32,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Told {
    asked_page: u32,
    years: Vec<u32>,
}

#[tool_router(server_handler)]
impl Articles {
    /// Lists the articles from a year on.
    #[tool]
    fn list_articles(&self, Parameters(Years { first, page }): Parameters<Years>) -> Json<Told> {
        Json(Told { asked_page: page, years: (first..9000).collect() })
    }
}

#[tokio::test]
async fn a_result_fits_and_is_read_on() {
    let client = client(shape(Articles, json!({ "maxTokens": 500, "receipt": "meta" })).unwrap(), "tests").await;
    let listed = client.list_all_tools().await.unwrap();
    let names: Vec<&str> = listed.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, ["list_articles", "read_result"]);
    assert!(listed[0].output_schema.as_ref().unwrap().contains_key("anyOf"));
    // The tool's own `page` stays its own.
    let result = call(&client, "list_articles", json!({ "first": 0, "page": 7 })).await.unwrap();
    let page = said(&result);
    assert_eq!(result.structured_content.as_ref().unwrap(), &page);
    // It is an object around its list, and stays one.
    assert_eq!(page["asked_page"], 7);
    let (about, years) = (&page["_page"], page["years"].as_array().unwrap());
    assert_eq!((&about["totalItems"], &years[1]), (&json!(9000), &json!(1)));
    let receipt = &result.meta.as_ref().unwrap()["toolshape/receipt"];
    assert!(receipt["tokensAfter"].as_u64().unwrap() <= 500 && receipt["tokensBefore"].as_u64().unwrap() > 20_000);
    let next = ask(&client, "read_result", json!({ "cursor": about["nextCursor"] })).await;
    assert_eq!(next["years"][0], years.len());
    let part = json!({ "handle": page["_uri"], "pointer": "/years/8999" });
    assert_eq!(ask(&client, "read_result", part).await, 8999);
}

#[tokio::test]
async fn a_tool_that_is_not_listed_is_looked_up() {
    let client = client(shape(Articles, json!({ "maxTokens": 500 })).unwrap(), "tests").await;
    let result = call(&client, "list_articles", json!({ "first": 0, "pageSize": 3 })).await.unwrap();
    assert_eq!(said(&result)["years"], json!([0, 1, 2]), "{:?}", said(&result));
}
