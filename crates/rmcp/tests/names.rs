//! A server's own tool with the name of one that is added.

use rmcp::{tool, tool_router};
use toolshape_rmcp::{Shaping, json, shape};

use crate::caller::{ask, call, client};

struct Taken;

#[tool_router(server_handler)]
impl Taken {
    /// Reads what another wrote.
    #[tool]
    fn read_result(&self) -> String {
        "its own".to_owned()
    }
}

#[tokio::test]
async fn it_is_refused_where_it_is_listed_and_called() {
    let client = client(shape(Taken, json!({})).unwrap(), "tests").await;
    let listed = client.list_all_tools().await.unwrap_err().to_string();
    assert!(listed.contains("the server has a tool read_result of its own"), "{listed}");
    let called = call(&client, "read_result", json!({})).await.unwrap_err().to_string();
    assert!(called.contains("the server has a tool read_result of its own"), "{called}");
}

#[tokio::test]
async fn without_a_store_it_is_the_servers() {
    let shaping = Shaping::builder(json!({})).without_store().build().unwrap();
    let client = client(shaping.around(Taken), "tests").await;
    assert_eq!(ask(&client, "read_result", json!({})).await, "its own");
}
