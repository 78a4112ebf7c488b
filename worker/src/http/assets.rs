use worker::{Env, Request, Response, Result};

/// Media types of what the page is made of. A file server that knows none gives bytes, and browsers run
/// no script and compile no module that comes as bytes.
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

/// Headers of every file. No other page may show this one in a frame, where it could lead clicks to its controls; only
/// headers can say so, the page's own policy cannot.
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
    let mut response = files.fetch(format!("https://assets{path}"), None).await?;
    let found = (200..300).contains(&response.status_code());
    let media = TYPES.iter().find(|(ending, _)| path.ends_with(ending)).filter(|_| found);
    if let Some((_, media)) = media {
        // The binding's headers are read-only; its body passes through unread.
        let headers = response.headers().clone();
        headers.set("content-type", media)?;
        for (name, value) in HEADERS {
            headers.set(name, value)?;
        }
        let status = response.status_code();
        return Ok(Response::from_stream(response.stream()?)?.with_status(status).with_headers(headers));
    }
    Ok(response)
}
