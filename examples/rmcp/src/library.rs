//! The library: its lists, filtered for each caller, and the calls that the caller may make.

use mcp_sieve::{Caller, Config, Error, Kind, Sieve, View};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
        ErrorCode, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents, ServerConfig,
    },
    service::RequestContext,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::request::{Asked, refusal};

const LISTS: &str = include_str!("lists.json");
const CONFIG: &str = include_str!("sieve.jsonc");

#[derive(Clone)]
pub struct Library {
    sieve: Sieve,
}

impl Library {
    /// Compiles the lists once, for all requests.
    pub fn new() -> Result<Self, Error> {
        Ok(Self { sieve: Sieve::compile(LISTS, &Config::parse(CONFIG)?)? })
    }

    fn view(&self, context: &RequestContext<RoleServer>) -> Result<View, ErrorData> {
        Ok(self.sieve.view(&Asked::read(context)?.caller))
    }

    /// Returns the list of a kind, filtered by the URL and by the request.
    fn list<T: DeserializeOwned>(
        &self,
        kind: Kind,
        context: &RequestContext<RoleServer>,
    ) -> Result<T, ErrorData> {
        let Asked { caller, params, url } = Asked::read(context)?;
        let view = self.sieve.view(&caller).within(&url).map_err(refusal)?;
        let selection = view.list_request(kind, &params).map_err(refusal)?;
        let mut list: Value = model(&selection.json())?;
        if let Some(report) = selection.report() {
            list["_meta"] = json!({ "dev.mcpsieve/filter": model::<Value>(&report)? });
        }
        // What the protocol asks of every list.
        list["resultType"] = json!("complete");
        list["ttlMs"] = json!(0);
        list["cacheScope"] = json!("private");
        model(&list.to_string())
    }
}

/// Reads a model of rmcp from JSON.
fn model<T: DeserializeOwned>(text: &str) -> Result<T, ErrorData> {
    serde_json::from_str(text).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

impl ServerHandler for Library {
    fn get_info(&self) -> ServerConfig {
        let capabilities = self.sieve.view(&Caller::anonymous()).capabilities();
        let info = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": serde_json::from_str::<Value>(&capabilities).unwrap_or_default(),
            "serverInfo": { "name": "library", "version": "1.0.0" },
        });
        serde_json::from_value(info).expect("the configuration is that of the protocol")
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.list(Kind::Tool, &context)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.list(Kind::Resource, &context)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.list(Kind::Template, &context)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // A hidden tool is answered like one that does not exist.
        if !self.view(&context)?.allows(Kind::Tool, &request.name) {
            let message = format!("Unknown tool: {}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        let text = format!("{}: done", request.name);
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if !self.view(&context)?.allows(Kind::Resource, &request.uri) {
            let data = json!({ "uri": request.uri });
            return Err(ErrorData::resource_not_found("Resource not found", Some(data)));
        }
        let text = format!("The content of {}", request.uri);
        Ok(ReadResourceResult::new(vec![ResourceContents::text(text, request.uri)]).into())
    }

    /// Answers the methods that rmcp does not know.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let view = self.view(&context)?;
        let params = request.params.as_ref().map(Value::to_string).unwrap_or_default();
        let list = match request.method.as_str() {
            "groups/list" => view.groups_list(&params).map_err(refusal)?,
            "tags/list" => view.tags_list(&params).map_err(refusal)?,
            "listConcerns" => view.concerns_list(),
            method => return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None)),
        };
        let mut result: Value = model(&list)?;
        result["resultType"] = json!("complete");
        Ok(CustomResult::new(result))
    }
}
