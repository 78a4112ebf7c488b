//! Serves the files of the demo page and the package, with media types and security headers.

use worker::{Env, Request, Response, Result};

/// Media types of the page's files, by extension. Some file servers send all files as `application/octet-stream`, and
/// browsers run no script and compile no module of that type.
const TYPES: [(&str, &str); 8] = [
    (".html", "text/html; charset=utf-8"),
    (".css", "text/css; charset=utf-8"),
    (".js", "text/javascript; charset=utf-8"),
    (".mjs", "text/javascript; charset=utf-8"),
    (".json", "application/json"),
    (".wasm", "application/wasm"),
    (".png", "image/png"),
    (".svg", "image/svg+xml"),
];

/// Headers of every file. They forbid other pages to show this one in a frame, where they could redirect clicks to its
/// controls. A policy in the page itself cannot forbid that.
const HEADERS: [(&str, &str); 3] = [
    ("content-security-policy", "frame-ancestors 'none'"),
    ("x-frame-options", "DENY"),
    ("x-content-type-options", "nosniff"),
];

/// Serves the page and the package from the `ASSETS` binding.
pub(crate) async fn serve(request: Request, env: &Env) -> Result<Response> {
    let Ok(files) = env.assets("ASSETS") else { return Response::error("nothing is served here", 404) };
    let mut path = request.path();
    if path.ends_with('/') {
        path.push_str("index.html");
    }
    // Only the path names a file; the binding takes any host.
    let response = files.fetch(format!("https://assets{path}"), None).await?;
    let found = (200..300).contains(&response.status_code());
    let media = TYPES.iter().find(|(ending, _)| path.ends_with(ending)).filter(|_| found);
    if let Some((_, media)) = media {
        // The binding's headers are read-only. Its body is passed on by the platform, and no piece enters the module.
        let headers = response.headers().clone();
        headers.set("content-type", media)?;
        for (name, value) in HEADERS {
            headers.set(name, value)?;
        }
        return Ok(response.with_headers(headers));
    }
    Ok(response)
}
