"""A server on the official Python SDK, which answers the stateless revision: peer_server.py PORT."""

import asyncio
import sys
from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import Completion, ToolAnnotations
from pydantic import Field

server = MCPServer("python-peer", version="1.2.3", instructions="Ask away.", log_level="ERROR")


@server.tool(annotations=ToolAnnotations(read_only_hint=True), meta={"com.example/kept": [1, None]})
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
async def count(steps: int, seconds: float, ctx: Context) -> str:
    """Reports each step."""
    for step in range(1, steps + 1):
        await asyncio.sleep(seconds / steps)
        await ctx.report_progress(step, steps, f"step {step}")
    return "counted"


@server.tool(name="größe")
def size(text: str) -> int:
    """Has a name beyond ASCII."""
    return len(text)


@server.tool()
def route(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
    """Wants an argument repeated as a header."""
    return f"routed to {region}"


@server.tool()
def fail() -> str:
    """Fails."""
    raise ValueError("it failed")


@server.resource("note://first")
def first() -> str:
    """A note."""
    return "the first note"


@server.resource("note://{name}/text")
def note(name: str) -> str:
    """Any note."""
    return f"the note {name}"


@server.prompt()
def greet(name: str) -> str:
    """Greets."""
    return f"Greet {name}."


@server.completion()
async def complete(ref, argument, context):
    names = [name for name in ["Ada", "Alan", "Grace"] if name.startswith(argument.value)]
    return Completion(values=names, total=len(names), has_more=False)


server.run("streamable-http", port=int(sys.argv[1]))
