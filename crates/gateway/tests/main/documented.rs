//! docs/serve.md and the example have options that the gateway accepts, and all of them.

use serde_json::{Value, json};
use toolshape_gateway::ServeOptions;

const PAGE: &str = include_str!("../../../../docs/serve.md");
const EXAMPLE: &str = include_str!("../../../../examples/serve/toolshape.json");

#[test]
fn the_configurations_are_accepted() {
    let block = PAGE.split("<!-- config -->\n```json\n").nth(1).unwrap().split("```").next().unwrap();
    ServeOptions::read(block).unwrap();
    ServeOptions::read(EXAMPLE).unwrap();
}

#[test]
fn the_filter_of_envoy_is_that_of_the_example() {
    let block = PAGE.split("```yaml\n- name: envoy").nth(1).unwrap().split("```").next().unwrap();
    let block = format!("- name: envoy{block}");
    let indented: String = block.lines().map(|line| format!("{}{line}\n", " ".repeat(18))).collect();
    assert!(include_str!("../../../../examples/serve/envoy.yaml").contains(&indented), "{indented}");
}

#[test]
fn the_page_has_every_option() {
    let message = ServeOptions::new(&json!({ "upstreams": { "a": { "url": "http://a", "urk": 1 } } })).unwrap_err();
    assert!(message.message().starts_with("upstreams/a: unknown option urk"), "{message}");
    for name in ServeOptions::NAMES {
        assert!(PAGE.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn wrong_options_say_what_they_take() {
    let up = json!({ "a": { "url": "http://a.test/mcp" } });
    for (options, wanted) in [
        (json!({ "upstreams": up, "listen": "8080" }), "listen is \"8080\"; it takes an IP address and a port"),
        (json!({ "upstreams": up, "lisen": "x" }), "unknown option lisen; did you mean listen?"),
        (json!({ "upstreams": up, "maxTokens": 1 }), "maxTokens is 1; it takes"),
        (json!({ "upstreams": up, "publicUrl": "mcp.test" }), "publicUrl is \"mcp.test\"; it takes an address"),
        (json!({ "upstreams": up, "drainSeconds": 0 }), "drainSeconds is 0; it takes a whole number from 1 to 86400"),
        (json!({ "upstreams": up, "tenantHeader": "a b" }), "tenantHeader is \"a b\"; it takes a header's name"),
        (json!({ "upstreams": up, "tenantHeader": "a", "tenantClaim": "b" }), "tenantHeader and tenantClaim exclude"),
        (json!({ "upstreams": up, "tenantBytes": 1 }), "tenantBytes is 1; it takes a whole number from 1024"),
        (json!({ "upstreams": up, "tenantBytes": 2048 }), "tenantBytes requires a store in a service"),
        (json!({ "upstreams": up, "scope": "alice" }), "scope is \"alice\"; it takes tenant, authorization or session"),
        (
            json!({ "upstreams": { "a": { "url": "http://a", "scope": "b" } } }),
            "upstreams/a: scope is an option of the gateway",
        ),
        (json!({ "upstreams": { "a/b": {} } }), "a/b is not a server's name"),
        (json!({ "upstreams": { "healthz": {} } }), "healthz is not a server's name"),
        (json!({ "upstreams": { "a": { "url": "ftp://a" } } }), "upstreams/a: url is not the address of a server"),
        (json!({ "upstreams": { "a": { "url": "http://" } } }), "upstreams/a: url is not the address of a server"),
        (
            json!({ "upstreams": { "a": { "url": "http://a", "headers": { "x": 1 } } } }),
            "upstreams/a: x is not a header",
        ),
        (json!({ "upstreams": { "a": "http://a" } }), "upstreams/a: a server is an object with url or command"),
        (json!({ "upstreams": { "a": { "ur": "http://a" } } }), "upstreams/a: unknown option ur"),
        (json!({}), "upstreams must have at least one server, by its name"),
        (Value::Null, "the options are null; an object is required"),
    ] {
        let error = ServeOptions::new(&options).unwrap_err();
        assert!(error.message().starts_with(wanted), "{}\n{wanted}", error.message());
    }
}
