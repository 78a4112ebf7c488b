//! The name of the server that asks, in each of its questions. A client shows the questions of all servers alike, so a
//! server could otherwise pass its question off as that of another.

use mcp_sieve::json::{self, Members, Object, Raw};

use crate::upstream::Endpoint;

/// The key of `_meta` that names the server of a question.
pub(crate) const SERVER: &str = "dev.mcpsieve/server";

impl Endpoint {
    /// Returns the parameters of a question with the name of the server in `_meta`. If the gateway has several servers,
    /// the message of an elicitation, which a person reads, begins with it too.
    pub(crate) fn sign(&self, method: &str, params: &str) -> String {
        let Some(members) = Members::parse(params) else { return params.to_owned() };
        let message = members.get("message").and_then(json::Raw::text);
        let message = message.filter(|_| self.is_one_of_several && method == "elicitation/create");
        let meta = members.get("_meta").and_then(Members::read).unwrap_or_default();
        let mut out = Vec::with_capacity(params.len() + self.name.len() + SERVER.len() + 32);
        let mut object = Object::open(&mut out);
        object.keep(&members, if message.is_some() { &["message", "_meta"] } else { &["_meta"] });
        if let Some(message) = message {
            object.text("message", &["[", &self.name, "] ", &message].concat());
        }
        let mut inner = Object::open(object.value("_meta"));
        inner.keep(&meta, &[SERVER]);
        inner.text(SERVER, &self.name);
        inner.close();
        object.close();
        // The output consists of UTF-8 text.
        String::from_utf8(out).unwrap_or_default()
    }

    /// Signs the questions of a result: those of a call that asks for input, or of a task.
    pub(crate) fn sign_result(&self, result: Vec<u8>) -> Vec<u8> {
        let signed = std::str::from_utf8(&result).ok().and_then(|text| {
            // Most results have neither the member nor a key with escapes, and are not parsed for it.
            let may_ask = text.contains("inputRequests") || text.contains("\\u");
            let members = may_ask.then(|| Members::parse(text)).flatten()?;
            self.signed(&members)
        });
        signed.unwrap_or(result)
    }

    fn signed(&self, members: &Members<'_>) -> Option<Vec<u8>> {
        const REQUESTS: &str = "inputRequests";
        let requests = members.get(REQUESTS).and_then(Members::read)?;
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.keep(members, &[REQUESTS]);
        let mut inner = Object::open(object.value(REQUESTS));
        for (key, request) in &requests.0 {
            match Members::read(*request) {
                Some(request) => self.sign_request(&request, inner.value(key)),
                None => inner.raw(key, request.get().as_bytes()),
            }
        }
        inner.close();
        object.close();
        Some(out)
    }

    fn sign_request(&self, request: &Members<'_>, out: &mut Vec<u8>) {
        let method = request.get("method").and_then(json::Raw::text).unwrap_or_default();
        let params = request.get("params").map_or("{}", Raw::get);
        let mut object = Object::open(out);
        object.keep(request, &["params"]);
        object.raw("params", self.sign(&method, params).as_bytes());
        object.close();
    }
}
