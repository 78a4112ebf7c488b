"""The vault's catalog on the official Python SDK: vault.py PORT."""

import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("python-vault", version="1", log_level="ERROR")
SECRET = "TOP SECRET"
HIDDEN = ["docs://payroll", "https://intra.example/hr", "https://xn--bcher-kva.example/hr", "https://intra.example/a/b%20c?x=1&y=2"]


@server.tool(name="open")
def open_tool() -> str:
    return "opened"


@server.tool()
def secret_tool() -> str:
    return f"{SECRET} tool"


@server.prompt()
def open_prompt() -> str:
    return "open"


@server.prompt()
def secret_prompt() -> str:
    return SECRET


@server.resource("docs://open", name="open_doc")
def open_doc() -> str:
    return "open docs://open"


def hide(uri: str, name: str) -> None:
    @server.resource(uri, name=name)
    def hidden() -> str:
        return f"{SECRET} {uri}"


for at, uri in enumerate(HIDDEN):
    hide(uri, f"hidden_{at}")


@server.resource("file:///public/{+path}", name="public")
def public(path: str) -> str:
    return f"open {path}"


@server.resource("file:///private/{+path}", name="private")
def private(path: str) -> str:
    return f"{SECRET} {path}"


@server.resource("people://{id}/salary", name="salary")
def salary(id: str) -> str:
    return f"{SECRET} salary of {id}"


server.run("streamable-http", port=int(sys.argv[1]))
