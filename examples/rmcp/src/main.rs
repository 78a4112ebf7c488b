//! A library as an MCP server on rmcp. Sieve filters its lists, and decides who may call what.

mod library;
mod request;

use std::{env, error::Error, sync::Arc};

use axum::{Router, middleware};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use tokio::net::TcpListener;

use library::Library;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = env::var("ADDRESS").unwrap_or_else(|_| "127.0.0.1:8790".to_owned());
    let library = Library::new()?;
    let service = StreamableHttpService::new(
        move || Ok(library.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let routes =
        Router::new().route_service("/mcp", service).layer(middleware::from_fn(request::keep_params));
    let listener = TcpListener::bind(address).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, routes).await?;
    Ok(())
}
