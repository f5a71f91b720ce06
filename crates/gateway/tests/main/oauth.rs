//! The gateway is the protected resource, under its own address.

use serde_json::json;

use crate::world::{Answer, Server, call, gateway, post, send};

#[tokio::test(flavor = "multi_thread")]
async fn a_challenge_names_the_gateways_metadata() {
    let server = Server::start(|seen| {
        let origin = format!("http://{}", seen.header("host"));
        match &*seen.path {
            "/.well-known/oauth-protected-resource/mcp" => Answer::json(&json!({
                "resource": format!("{origin}/mcp"), "authorization_servers": ["https://login.example.com"], "scopes_supported": ["read"],
            })),
            "/mcp" => {
                let metadata = format!("{origin}/.well-known/oauth-protected-resource/mcp");
                let status = if seen.header("authorization") == "Bearer weak" { 403 } else { 401 };
                Answer::of(status, "application/json", "{\"error\":\"invalid_token\"}")
                    .with("www-authenticate", "Basic realm=\"x\"")
                    .with("www-authenticate", &format!("Bearer error=\"invalid_token\", resource_metadata=\"{metadata}\", scope=\"read\""))
            }
            _ => Answer::of(404, "text/plain", "no"),
        }
    })
    .await;
    for (options, root) in
        [(json!({ "publicUrl": "https://mcp.example.com/" }), Some("https://mcp.example.com")), (json!({}), None)]
    {
        let replica = gateway(server.address, options, None).await;
        let root = root.map_or_else(|| format!("http://{}", replica.address), str::to_owned);
        for (headers, status) in [(&[][..], 401), (&[("authorization", "Bearer weak")], 403)] {
            let got = post(replica.address, headers, &call(1, "list", json!({}))).await;
            assert_eq!((got.status, &*got.body), (status, "{\"error\":\"invalid_token\"}"));
            let challenges: Vec<&str> =
                got.headers.get_all("www-authenticate").iter().map(|value| value.to_str().unwrap()).collect();
            let own = format!(
                "Bearer error=\"invalid_token\", resource_metadata=\"{root}/.well-known/oauth-protected-resource/up\", scope=\"read\""
            );
            assert_eq!(challenges, ["Basic realm=\"x\"", &own]);
        }
        let path = "/.well-known/oauth-protected-resource/up";
        let metadata = send(replica.address, "GET", path, &[("authorization", "Bearer a")], String::new()).await;
        assert_eq!(
            metadata.json(),
            json!({ "resource": format!("{root}/up"), "authorization_servers": ["https://login.example.com"], "scopes_supported": ["read"] })
        );
        assert_eq!(server.last().header("authorization"), "");
        for (method, path, status) in [
            ("GET", "/.well-known/oauth-protected-resource/none", 404),
            ("GET", "/.well-known/oauth-protected-resource", 404),
            ("GET", "/.well-known/openid-configuration/up", 404),
            ("GET", "/.well-known/a%2fb/up", 404),
            ("POST", path, 405),
        ] {
            assert_eq!(send(replica.address, method, path, &[], String::new()).await.status, status, "{method} {path}");
        }
    }
}

/// Metadata that the server has elsewhere, at its root or where its challenge says: also for a replica that has seen no challenge.
#[tokio::test(flavor = "multi_thread")]
async fn metadata_is_found_where_the_server_has_it() {
    for place in ["/.well-known/oauth-protected-resource", "/meta"] {
        let server = Server::start(move |seen| match &*seen.path {
            "/mcp" => {
                let challenge = format!("Bearer resource_metadata=http://{}{place}", seen.header("host"));
                Answer::of(401, "text/plain", "").with("www-authenticate", &challenge)
            }
            path if path == place => Answer::json(&json!({ "resource": "x" })),
            _ => Answer::of(404, "text/plain", "no"),
        })
        .await;
        for is_challenged in [false, true] {
            let replica = gateway(server.address, json!({ "publicUrl": "https://m.test" }), None).await;
            if is_challenged {
                let got = post(replica.address, &[], &call(1, "list", json!({}))).await;
                let own = "Bearer resource_metadata=\"https://m.test/.well-known/oauth-protected-resource/up\"";
                assert_eq!(got.header("www-authenticate"), own);
            }
            let path = "/.well-known/oauth-protected-resource/up";
            let found = send(replica.address, "GET", path, &[("authorization", "Bearer a")], String::new()).await;
            assert_eq!(found.json(), json!({ "resource": "https://m.test/up" }));
            let asked = server
                .seen
                .lock()
                .unwrap()
                .iter()
                .filter(|seen| seen.body.contains("ping"))
                .cloned()
                .collect::<Vec<_>>();
            assert_eq!(asked.len(), 1, "{place}: the server is asked once, unless it has said it");
            assert_eq!(asked[0].header("authorization"), "");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_stops_is_not_waited_for() {
    let (server, streams) = Server::streaming().await;
    let replica = gateway(server.address, json!({ "firstByteSeconds": 1 }), None).await;
    let got = send(replica.address, "GET", "/.well-known/oauth-protected-resource/up", &[], String::new()).await;
    // The server is asked for its challenge before.
    assert_eq!((got.status, streams.lock().unwrap().len()), (502, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirection_stays_at_the_gateway() {
    let server = Server::start(|seen| {
        let to = match seen.header("x-to") {
            "own" => format!("http://{}/mcp/", seen.header("host")),
            "path" => "/mcp/".to_owned(),
            other => other.to_owned(),
        };
        Answer::of(307, "text/plain", "").with("location", &to)
    })
    .await;
    let replica = gateway(server.address, json!({ "publicUrl": "https://m.test" }), None).await;
    for (to, wanted) in [
        ("own", "https://m.test/up/"),
        ("path", "https://m.test/up/"),
        ("https://other.test/mcp/", "https://other.test/mcp/"),
        ("/mcp2", "/mcp2"),
    ] {
        assert_eq!(post(replica.address, &[("x-to", to)], &json!({})).await.header("location"), wanted);
    }
}
