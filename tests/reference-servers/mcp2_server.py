"""A server on the low-level API of the Python SDK 2, with and without sessions: mcp2_server.py PORT.

It offers subscriptions in sessions only, by `resources/subscribe`.
"""

import sys
import warnings
from weakref import WeakKeyDictionary

import mcp_types as types
import uvicorn
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.shared.exceptions import MCPError

import lowlevel_tools as lists

warnings.simplefilter("ignore")
counts = WeakKeyDictionary()
subscribers = {}
grown = []


async def list_tools(_ctx, _params):
    return types.ListToolsResult.model_validate({"tools": lists.TOOLS + grown})


async def list_resources(_ctx, _params):
    return types.ListResourcesResult.model_validate({"resources": lists.RESOURCES})


async def list_resource_templates(_ctx, _params):
    return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": lists.TEMPLATES})


async def list_prompts(_ctx, _params):
    return types.ListPromptsResult.model_validate({"prompts": lists.PROMPTS})


async def read_resource(_ctx, params):
    uri = str(params.uri)
    if uri not in lists.NOTES:
        raise MCPError(code=-32602, message="nothing here", data={"uri": uri, "why": "gone"})
    contents = [{"uri": uri, "mimeType": "text/plain", "text": lists.NOTES[uri]}]
    return types.ReadResourceResult.model_validate({"contents": contents})


async def get_prompt(_ctx, params):
    if params.name != "greet":
        raise MCPError(code=-32602, message=f"no prompt {params.name}")
    text = f"Greet {(params.arguments or {}).get('who')}."
    messages = [{"role": "user", "content": {"type": "text", "text": text}}]
    return types.GetPromptResult.model_validate({"messages": messages})


async def complete(_ctx, params):
    values = [name for name in lists.NAMES if name.startswith(params.argument.value)]
    return types.CompleteResult.model_validate({"completion": {"values": values}})


async def set_logging_level(_ctx, _params):
    return types.EmptyResult()


async def subscribe(ctx, params):
    subscribers.setdefault(str(params.uri), {})[id(ctx.session._connection)] = ctx.session
    return types.EmptyResult()


async def unsubscribe(ctx, params):
    subscribers.get(str(params.uri), {}).pop(id(ctx.session._connection), None)
    return types.EmptyResult()


async def ask(session, kind, related):
    if kind == "roots":
        return await session.list_roots()
    if kind == "sampling":
        message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text="A city?"))
        return await session.create_message([message], max_tokens=9, related_request_id=related)
    return await session.elicit_form("Who?", lists.FORM, related_request_id=related)


def result(*content, **more):
    return types.CallToolResult.model_validate({"content": list(content), **more})


def text(value):
    return {"type": "text", "text": value}


async def call_tool(ctx, params):
    name, arguments, session = params.name, params.arguments or {}, ctx.session
    if name == "count":
        # A stateless request has a connection of its own.
        connection = session._connection
        counts[connection] = counts.get(connection, 0) + 1
        return result(text(str(counts[connection])))
    if name in ("touch", "touch_own"):
        for key, subscriber in list(subscribers.get(arguments["uri"], {}).items()):
            if name == "touch_own" and key != id(session._connection):
                continue
            await subscriber.send_resource_updated(arguments["uri"])
    elif name == "log":
        for line in range(3):
            await session.send_log_message("info", {"z": line, "a": "line"}, logger="lines")
    elif name == "progress":
        for step in range(3):
            await session.report_progress(step, 3, f"step {step}")
            await session.send_log_message("warning", f"step {step}", related_request_id=ctx.request_id)
    elif name in ("ask", "ask_related"):
        answer = await ask(session, arguments["kind"], ctx.request_id if name == "ask_related" else None)
        return result(text(answer.model_dump_json(by_alias=True, exclude_none=True)))
    elif name == "measure":
        return result(text('{"z":1.50,"a":2}'), structuredContent={"z": 1.50, "a": 2})
    elif name == "picture":
        return result(*lists.CONTENT)
    elif name == "grow":
        grown[:] = [lists.GROWN]
        await session.send_tool_list_changed()
    elif name == "fail":
        raise ValueError("it failed")
    elif name != "grown":
        raise MCPError(code=-32602, message=f"no tool {name}", data={"why": "gone"})
    return result(text(f"{name} done"))


server = Server(
    "lowlevel-2",
    version="2.0.0",
    instructions="Count the calls.",
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    on_list_resources=list_resources,
    on_list_resource_templates=list_resource_templates,
    on_read_resource=read_resource,
    on_subscribe_resource=subscribe,
    on_unsubscribe_resource=unsubscribe,
    on_list_prompts=list_prompts,
    on_get_prompt=get_prompt,
    on_completion=complete,
    on_set_logging_level=set_logging_level,
)
create = server.create_initialization_options
server.create_initialization_options = lambda *_args, **_more: create(NotificationOptions(tools_changed=True))
uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
