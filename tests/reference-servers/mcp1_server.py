"""A server on the low-level API of the Python SDK 1, with sessions: mcp1_server.py PORT."""

import contextlib
import sys
from weakref import WeakKeyDictionary

import anyio
import mcp.types as types
import uvicorn
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import McpError
from starlette.applications import Starlette
from starlette.routing import Route

import lowlevel_tools as lists

server = Server("lowlevel-1", version="1.0.0", instructions="Count the calls.")
counts = WeakKeyDictionary()
subscribers = {}
grown = []


@server.list_tools()
async def list_tools():
    return [types.Tool.model_validate(tool) for tool in lists.TOOLS + grown]


@server.list_resources()
async def list_resources():
    return [types.Resource.model_validate(resource) for resource in lists.RESOURCES]


@server.list_resource_templates()
async def list_resource_templates():
    return [types.ResourceTemplate.model_validate(template) for template in lists.TEMPLATES]


@server.list_prompts()
async def list_prompts():
    return [types.Prompt.model_validate(prompt) for prompt in lists.PROMPTS]


@server.read_resource()
async def read_resource(uri):
    if str(uri) not in lists.NOTES:
        raise McpError(types.ErrorData(code=-32002, message="nothing here", data={"uri": str(uri), "why": "gone"}))
    return [ReadResourceContents(content=lists.NOTES[str(uri)], mime_type="text/plain")]


@server.get_prompt()
async def get_prompt(name, arguments):
    if name != "greet":
        raise McpError(types.ErrorData(code=-32602, message=f"no prompt {name}"))
    content = types.TextContent(type="text", text=f"Greet {(arguments or {}).get('who')}.")
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])


@server.completion()
async def complete(_ref, argument, _context):
    return types.Completion(values=[name for name in lists.NAMES if name.startswith(argument.value)])


@server.set_logging_level()
async def set_logging_level(_level):
    pass


@server.subscribe_resource()
async def subscribe(uri):
    subscribers.setdefault(str(uri), set()).add(server.request_context.session)


@server.unsubscribe_resource()
async def unsubscribe(uri):
    subscribers.get(str(uri), set()).discard(server.request_context.session)


async def ask(session, kind, related):
    if kind == "roots":
        return await session.list_roots()
    if kind == "sampling":
        content = types.TextContent(type="text", text="A city?")
        return await session.create_message(
            [types.SamplingMessage(role="user", content=content)], max_tokens=9, related_request_id=related
        )
    return await session.elicit_form("Who?", lists.FORM, related_request_id=related)


@server.call_tool()
async def call_tool(name, arguments):
    context = server.request_context
    session = context.session
    if name == "count":
        counts[session] = counts.get(session, 0) + 1
        return [types.TextContent(type="text", text=str(counts[session]))]
    if name in ("touch", "touch_own"):
        for subscriber in list(subscribers.get(arguments["uri"], ())):
            if name == "touch_own" and subscriber is not session:
                continue
            try:
                await subscriber.send_resource_updated(arguments["uri"])
            except anyio.ClosedResourceError:  # Its session has ended.
                subscribers[arguments["uri"]].discard(subscriber)
    elif name == "log":
        for line in range(3):
            await session.send_log_message("info", {"z": line, "a": "line"}, logger="lines")
    elif name == "progress":
        token = context.meta.progressToken if context.meta else None
        for step in range(3):
            if token is not None:
                await session.send_progress_notification(token, step, 3, f"step {step}", str(context.request_id))
            await session.send_log_message("warning", f"step {step}", related_request_id=context.request_id)
    elif name in ("ask", "ask_related"):
        related = context.request_id if name == "ask_related" else None
        answer = await ask(session, arguments["kind"], related)
        return [types.TextContent(type="text", text=answer.model_dump_json(by_alias=True, exclude_none=True))]
    elif name == "measure":
        return {"z": 1.50, "a": 2}
    elif name == "picture":
        return [_block(block) for block in lists.CONTENT]
    elif name == "grow":
        grown[:] = [lists.GROWN]
        await session.send_tool_list_changed()
    elif name == "fail":
        raise ValueError("it failed")
    elif name != "grown":
        raise McpError(types.ErrorData(code=-32602, message=f"no tool {name}", data={"why": "gone"}))
    return [types.TextContent(type="text", text=f"{name} done")]


def _block(block):
    return types.CallToolResult.model_validate({"content": [block]}).content[0]


options = NotificationOptions(tools_changed=True)
create = server.create_initialization_options
server.create_initialization_options = lambda *_args, **_more: create(options)
manager = StreamableHTTPSessionManager(server)


class Endpoint:
    async def __call__(self, scope, receive, send):
        await manager.handle_request(scope, receive, send)


@contextlib.asynccontextmanager
async def lifespan(_app):
    async with manager.run():
        yield


app = Starlette(routes=[Route("/mcp", Endpoint())], lifespan=lifespan)
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
