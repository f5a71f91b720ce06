//! The names of tools that are added: a server's own tool with the same name, and the server's name in them.

use rmcp::model::{Implementation, InitializeResult, ServerCapabilities};
use rmcp::{ServerHandler, tool, tool_router};
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
    assert!(listed.contains("there is a tool read_result, and toolshape adds one"), "{listed}");
    let called = call(&client, "read_result", json!({})).await.unwrap_err().to_string();
    assert!(called.contains("there is a tool read_result, and toolshape adds one"), "{called}");
}

#[tokio::test]
async fn without_a_store_it_is_the_servers() {
    let shaping = Shaping::builder(json!({})).without_store().build().unwrap();
    let client = client(shaping.around(Taken), "tests").await;
    assert_eq!(ask(&client, "read_result", json!({})).await, "its own");
}

struct Named(&'static str);

impl ServerHandler for Named {
    fn get_info(&self) -> InitializeResult {
        InitializeResult::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(self.0, "1.0.0"))
    }
}

#[tokio::test]
async fn the_tool_that_reads_results_has_the_servers_name() {
    let names = async |server| {
        let client = client(server, "tests").await;
        client.list_all_tools().await.unwrap().into_iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>()
    };
    let shaping = Shaping::builder(json!({})).build().unwrap();
    for (server, tool) in
        [("github-mcp-server", "read_result_github"), ("wiki", "read_result_wiki"), ("rmcp", "read_result")]
    {
        assert_eq!(names(shaping.around(Named(server))).await, [tool]);
        assert_eq!(names(shape(Named(server), json!({})).unwrap()).await, [tool]);
    }
    let own = Shaping::builder(json!({ "readTool": "read_more" })).build().unwrap();
    assert_eq!(names(own.around(Named("wiki"))).await, ["read_more"]);
}
