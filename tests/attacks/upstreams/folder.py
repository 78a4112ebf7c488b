"""Opens files of a real folder on the official Python SDK: folder.py PORT ROOT. Replies with what any opener reads."""

import os
import posixpath
import sys
from urllib.parse import unquote

from mcp.server.mcpserver import MCPServer

root = sys.argv[2]
server = MCPServer("folder", version="1", log_level="ERROR")


def opened(directory: str, path: str) -> str:
    read = set()
    for text in (path, unquote(path), unquote(unquote(path))):
        joined = directory + "/" + text
        for name in (joined, posixpath.normpath(joined), joined.split("?")[0], joined.replace("\\", "/")):
            try:
                with open(name, encoding="utf-8") as file:
                    read.add(file.read())
            except (OSError, ValueError):
                pass
    if not read:
        raise ValueError("no such file")
    return "\n".join(sorted(read))


@server.resource(f"file://{root}/public/a", name="open_a")
def open_a() -> str:
    return opened(f"{root}/public", "a")


@server.resource(f"file://{root}/private/a", name="hidden_a")
def hidden_a() -> str:
    return opened(f"{root}/private", "a")


@server.resource(f"file://{root}/public/{{+path}}", name="public")
def public(path: str) -> str:
    return opened(f"{root}/public", path)


@server.resource(f"file://{root}/private/{{+path}}", name="private")
def private(path: str) -> str:
    return opened(f"{root}/private", path)


server.run("streamable-http", port=int(sys.argv[1]))
