//! Prints, as JSON lines on standard output, how the official Rust client sees an MCP server.
//!
//! `rmcp-peer look URL MODE QUESTIONS`, `rmcp-peer use URL MODE CALL`, `rmcp-peer hear URL MODE URI`, `rmcp-peer leave
//! URL MODE CALL`, where MODE is `auto` or `legacy`. `tests/support/clients.mjs` documents the output of each.
//! Connections stay open until standard input ends.

use std::{env, error::Error, io::Read, sync::Arc};

use rmcp::{
    ClientHandler, RoleClient,
    model::{
        CallToolRequest, CallToolRequestParams, ClientRequest, CustomRequest, GetPromptRequestParams,
        ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams,
        ResourceUpdatedNotificationParam, SubscribeRequestParams, SubscriptionFilter,
    },
    service::{
        ClientLifecycleMode, ClientServiceExt, NotificationContext, PeerRequestOptions, RunningService,
        ServiceError,
    },
    transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig},
};
use serde_json::{Value, json};
use tokio::sync::Notify;

type Failed = Box<dyn Error>;
type Client = RunningService<RoleClient, Ear>;

/// A client handler that records notifications from the server.
#[derive(Clone, Default)]
struct Ear {
    updated: Arc<Notify>,
    progressed: Arc<Notify>,
}

impl ClientHandler for Ear {
    async fn on_resource_updated(
        &self,
        _: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.updated.notify_one();
    }

    async fn on_progress(&self, _: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.progressed.notify_one();
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failed> {
    let words: Vec<String> = env::args().skip(1).collect();
    let [what, url, mode, given] = words.as_slice() else {
        return Err("expected WHAT URL MODE GIVEN".into());
    };
    let ear = Ear::default();
    let lifecycle = match mode.as_str() {
        "legacy" => ClientLifecycleMode::Initialize,
        _ => ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::LATEST],
            legacy_version: None,
        },
    };
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
    if what == "use" {
        let call: Value = serde_json::from_str(given)?;
        config = config.auth_header(call["token"].as_str().unwrap_or_default());
    }
    let transport = StreamableHttpClientTransport::from_config(config);
    let client = ear.clone().serve_with_lifecycle(transport, lifecycle).await?;
    match what.as_str() {
        "look" => println!("{}", look(&client, &serde_json::from_str(given)?).await?),
        "use" => println!("{}", call(&client, &serde_json::from_str(given)?).await?),
        "hear" => hear(&client, &ear, mode, given).await?,
        "leave" => leave(&client, &ear, serde_json::from_str(given)?).await?,
        other => return Err(format!("`{other}`, expected look, use, hear or leave").into()),
    }
    client.cancel().await?;
    Ok(())
}

/// Returns the member `key` of each item of a list.
fn each(list: &impl serde::Serialize, key: &str) -> Result<Vec<Value>, Failed> {
    let items = serde_json::to_value(list)?;
    Ok(items.as_array().into_iter().flatten().map(|item| item[key].clone()).collect())
}

/// Makes one request of each kind, and returns what the client sees.
async fn look(client: &Client, asked: &Value) -> Result<Value, Failed> {
    let text = |key: &str| asked[key].as_str().unwrap_or_default().to_owned();
    // The typed parameters have no member for the filter, which the specification does not define; a custom request can
    // carry it.
    let request = CustomRequest::new("tools/list", Some(json!({"filter": asked["filter"]})));
    let filtered = serde_json::to_value(client.send_request(ClientRequest::CustomRequest(request)).await?)?;

    let arguments = asked["args"].as_object().cloned().unwrap_or_default();
    let call = CallToolRequestParams::new(text("tool")).with_arguments(arguments);
    let result = serde_json::to_value(client.call_tool(call).await?)?;
    let said = result["content"].as_array().into_iter().flatten().filter_map(|block| block["text"].as_str());

    let read = client.read_resource(ReadResourceRequestParams::new(text("uri"))).await?;
    let arguments = asked["promptArguments"].as_object().cloned().unwrap_or_default();
    let prompt = GetPromptRequestParams::new(text("prompt")).with_arguments(arguments);
    let refused = match client.call_tool(CallToolRequestParams::new("no-such-tool")).await {
        Err(ServiceError::McpError(error)) => json!({"code": error.code.0, "message": error.message}),
        other => json!(format!("{other:?}")),
    };
    Ok(json!({
        "protocol": serde_json::to_value(client.peer_info())?["protocolVersion"],
        "all": each(&client.list_all_tools().await?, "name")?,
        "filtered": each(&filtered["tools"], "name")?,
        "called": said.collect::<Vec<_>>(),
        "isError": result["isError"] == true,
        "read": each(&read.contents, "uri")?,
        "messages": client.get_prompt(prompt).await?.messages.len(),
        "resources": each(&client.list_all_resources().await?, "uri")?,
        "templates": each(&client.list_all_resource_templates().await?, "uriTemplate")?,
        "prompts": each(&client.list_all_prompts().await?, "name")?,
        "refused": refused,
    }))
}

/// Lists the tools and calls one of them.
async fn call(client: &Client, asked: &Value) -> Result<Value, Failed> {
    let arguments = asked["args"].as_object().cloned().unwrap_or_default();
    let name = asked["tool"].as_str().unwrap_or_default().to_owned();
    let answer = match client.call_tool(CallToolRequestParams::new(name).with_arguments(arguments)).await {
        Ok(result) => serde_json::to_value(result)?["content"][0]["text"].clone(),
        Err(ServiceError::McpError(error)) => json!(error.message),
        Err(error) => return Err(error.into()),
    };
    Ok(json!({"names": each(&client.list_all_tools().await?, "name")?, "answer": answer}))
}

/// Subscribes to a resource and waits for one update.
async fn hear(client: &Client, ear: &Ear, mode: &str, uri: &str) -> Result<(), Failed> {
    if mode == "legacy" {
        #[expect(deprecated, reason = "servers with sessions know no other way")]
        client.subscribe(SubscribeRequestParams::new(uri)).await?;
        println!("{}", json!({"ready": true}));
        ear.updated.notified().await;
    } else {
        let wanted = SubscriptionFilter::builder().resource_subscription(uri).build();
        let mut subscription = client.listen(wanted).await?;
        println!("{}", json!({"ready": true}));
        subscription.next().await?.ok_or("the subscription ended")?;
        subscription.cancel().await?;
    }
    println!("{}", json!({"heard": uri}));
    Ok(())
}

/// Calls a tool, and cancels the call after its first progress notification.
async fn leave(client: &Client, ear: &Ear, call: Value) -> Result<(), Failed> {
    let arguments = call["args"].as_object().cloned().unwrap_or_default();
    let name = call["tool"].as_str().unwrap_or_default().to_owned();
    let request = CallToolRequest::new(CallToolRequestParams::new(name).with_arguments(arguments));
    let request = ClientRequest::CallToolRequest(request);
    let under_way = client.send_cancellable_request(request, PeerRequestOptions::no_options()).await?;
    ear.progressed.notified().await;
    under_way.cancel(Some("heard enough".to_owned())).await?;
    println!("{}", json!({"left": true}));
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    Ok(())
}
