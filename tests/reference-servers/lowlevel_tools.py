"""The lists of the servers on the low-level Python SDK of both major versions, as JSON."""

TEXT = {"type": "object", "properties": {"uri": {"type": "string"}}, "required": ["uri"]}
KIND = {
    "type": "object",
    "properties": {"kind": {"enum": ["elicitation", "sampling", "roots"]}},
    "required": ["kind"],
}
FORM = {"type": "object", "properties": {"age": {"type": "integer"}, "name": {"type": "string"}}, "required": ["name"]}
PICTURE = "iVBORw0KGgo="

TOOLS = [
    {"name": "count", "description": "Counts the calls of the session.", "inputSchema": {"type": "object"}},
    {"name": "touch", "description": "Reports an update of a resource to its subscribers.", "inputSchema": TEXT},
    {"name": "touch_own", "description": "Reports an update if this session subscribed.", "inputSchema": TEXT},
    {"name": "log", "description": "Logs three lines on the stream of the session.", "inputSchema": {"type": "object"}},
    {"name": "progress", "description": "Reports progress and logs within the call.", "inputSchema": {"type": "object"}},
    {"name": "ask", "description": "Asks the client on the stream of the session.", "inputSchema": KIND},
    {"name": "ask_related", "description": "Asks the client on the stream of the call.", "inputSchema": KIND},
    {
        "name": "measure",
        "title": "Größe",
        "description": "Returns structured content.",
        "inputSchema": {"type": "object", "properties": {"z": {"type": "number", "default": 1.50}, "a": {"type": "integer"}}},
        "outputSchema": {"type": "object", "properties": {"z": {"type": "number"}, "a": {"type": "integer"}}},
        "annotations": {"readOnlyHint": True, "idempotentHint": True},
        "_meta": {"com.example/kept": [1, None, 2.0]},
    },
    {"name": "picture", "description": "Returns several kinds of content.", "inputSchema": {"type": "object"}},
    {"name": "fail", "description": "Raises an exception.", "inputSchema": {"type": "object"}},
    {"name": "grow", "description": "Adds the tool `grown`, and announces it.", "inputSchema": {"type": "object"}},
]
GROWN = {"name": "grown", "description": "Was added by `grow`.", "inputSchema": {"type": "object"}}
RESOURCES = [{"uri": "note://one", "name": "one", "mimeType": "text/plain", "size": 12}, {"uri": "note://two", "name": "two"}]
TEMPLATES = [{"uriTemplate": "note://{name}", "name": "note", "description": "Any note."}]
PROMPTS = [{"name": "greet", "description": "Greets.", "arguments": [{"name": "who", "required": True}]}]
NOTES = {"note://one": "the note one", "note://two": "the note two"}
NAMES = ["Ada", "Alan", "Grace"]
CONTENT = [
    {"type": "text", "text": "größer ☃", "annotations": {"audience": ["user"], "priority": 0.5}},
    {"type": "image", "data": PICTURE, "mimeType": "image/png"},
    {"type": "resource", "resource": {"uri": "note://one", "text": "the note one", "mimeType": "text/plain"}},
    {"type": "resource_link", "uri": "note://two", "name": "two"},
]
