"""What the Python clients see of one MCP server, as JSON lines on standard output.

Usage: peer.py CLIENT look URL MODE QUESTIONS, peer.py CLIENT use URL MODE CALL, peer.py CLIENT task URL MODE TASK,
peer.py CLIENT hear URL MODE URI, peer.py CLIENT leave URL MODE CALL, peer.py CLIENT talk URL MODE, where CLIENT is `mcp` or `fastmcp` and MODE is `auto` or `legacy`; tests/support/clients.mjs says what each prints.
What is open stays open until standard input ends.
"""

import asyncio
import json
import sys
import warnings
from typing import Literal

import fastmcp
import mcp_types as types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp.client.subscriptions import listen
from mcp.shared.exceptions import MCPError


class FilteredParams(types.PaginatedRequestParams):
    """List parameters with the member that the clients have no argument for."""

    filter: dict


class FilteredRequest(types.Request[FilteredParams, Literal["tools/list"]]):
    """The clients' own request type would drop what its parameters do not declare."""

    method: Literal["tools/list"] = "tools/list"
    params: FilteredParams


class Official:
    """The official client's words."""

    @staticmethod
    def connect(url, mode, token=None, **handlers):
        if isinstance(url, list):
            command, *args = url
            return Client(stdio_client(StdioServerParameters(command=command, args=args)), mode=mode, **handlers)
        if token is None:
            return Client(url, mode=mode, **handlers)
        http = create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
        return Client(streamable_http_client(url, http_client=http), mode=mode, **handlers)

    @staticmethod
    def answering(answer):
        async def elicit(_context, _params):
            return types.ElicitResult(action="accept", content=answer())

        return {"elicitation_callback": elicit}

    @staticmethod
    async def lists(client):
        return (
            (await client.list_tools()).tools,
            (await client.list_resources()).resources,
            (await client.list_resource_templates()).resource_templates,
            (await client.list_prompts()).prompts,
        )

    @staticmethod
    async def call(client, name, arguments, on_progress=None):
        return await client.call_tool(name, arguments, progress_callback=on_progress)

    @staticmethod
    async def read(client, uri):
        return (await client.read_resource(uri)).contents


class Fast:
    """FastMCP's words."""

    @staticmethod
    def connect(url, mode, token=None, **handlers):
        if isinstance(url, list):
            command, *args = url
            return fastmcp.Client(fastmcp.client.transports.StdioTransport(command, args), mode=mode, **handlers)
        return fastmcp.Client(url, mode=mode, auth=token, **handlers)

    @staticmethod
    def answering(answer):
        async def elicit(_message, _type, _params, _context):
            return fastmcp.client.elicitation.ElicitResult(action="accept", content=answer())

        return {"elicitation_handler": elicit}

    @staticmethod
    async def lists(client):
        return (
            await client.list_tools(),
            await client.list_resources(),
            await client.list_resource_templates(),
            await client.list_prompts(),
        )

    @staticmethod
    async def call(client, name, arguments, on_progress=None):
        return await client.call_tool(name, arguments, progress_handler=on_progress, raise_on_error=False)

    @staticmethod
    async def read(client, uri):
        return await client.read_resource(uri)


def say(message):
    print(json.dumps(message, default=str), flush=True)


async def look(words, url, mode, given):
    asked = json.loads(given)
    async with words.connect(url, mode) as client:
        tools, resources, templates, prompts = await words.lists(client)
        request = FilteredRequest(params=FilteredParams(filter=asked["filter"]))
        filtered = await client.session.send_request(request, types.ListToolsResult)
        result = await words.call(client, asked["tool"], asked["args"])
        prompt = await client.get_prompt(asked["prompt"], asked["promptArguments"])
        try:
            await words.call(client, "no-such-tool", {})
            refused = None
        except MCPError as error:
            refused = {"code": error.error.code, "message": error.error.message}
        say(
            {
                "protocol": client.protocol_version,
                "all": [tool.name for tool in tools],
                "filtered": [tool.name for tool in filtered.tools],
                "called": [block.text for block in result.content if block.type == "text"],
                "isError": bool(result.is_error),
                "read": [content.uri for content in await words.read(client, asked["uri"])],
                "messages": len(prompt.messages),
                "resources": [resource.uri for resource in resources],
                "templates": [template.uri_template for template in templates],
                "prompts": [prompt.name for prompt in prompts],
                "refused": refused,
            }
        )


async def use(words, url, mode, given):
    asked = json.loads(given)
    async with words.connect(url, mode, token=asked["token"]) as client:
        tools, *_ = await words.lists(client)
        try:
            answer = (await words.call(client, asked["tool"], asked["args"])).content[0].text
        except MCPError as error:
            answer = error.error.message
        say({"names": [tool.name for tool in tools], "answer": answer})


async def task(words, url, mode, given):
    todo = json.loads(given)
    asked = 0

    def answer():
        nonlocal asked
        asked += 1
        return todo["answer"]

    server = todo.get("command", url)
    async with words.connect(server, mode, token=todo.get("token"), **words.answering(answer)) as client:
        tools, *_ = await words.lists(client)
        answers = []
        for step in todo["steps"]:
            try:
                result = await words.call(client, step["tool"], step["args"])
                answers.append([block.text for block in result.content if block.type == "text"][0])
            except MCPError as error:
                answers.append(error.error.message)
        say({"names": [tool.name for tool in tools], "answers": answers, "asked": asked})


async def hear(words, url, mode, uri):
    updated = asyncio.Event()

    async def notice(message):
        if isinstance(message, types.ResourceUpdatedNotification):
            updated.set()

    async with words.connect(url, mode, message_handler=notice) as client:
        if mode == "legacy":
            await client.session.subscribe_resource(uri)
            say({"ready": True})
            await updated.wait()
        else:
            async with listen(client.session, resource_subscriptions=[uri]) as subscription:
                say({"ready": True})
                async for _ in subscription:
                    break
        say({"heard": uri})


async def leave(words, url, mode, given):
    call = json.loads(given)
    progressed = asyncio.Event()

    async def notice(*_):
        progressed.set()

    async with words.connect(url, mode) as client:
        under_way = asyncio.create_task(words.call(client, call["tool"], call["args"], notice))
        await progressed.wait()
        under_way.cancel()
        await asyncio.gather(under_way, return_exceptions=True)
        say({"left": under_way.cancelled()})
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


async def talk(words, url, mode):
    """Calls the tool that each line of standard input names, and prints its text."""
    async with words.connect(url, mode) as client:
        say({"protocol": client.protocol_version})
        while tool := await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline):
            try:
                say({"text": (await words.call(client, tool.strip(), {})).content[0].text})
            except MCPError as error:
                say({"text": error.error.message})


warnings.simplefilter("ignore", DeprecationWarning)  # sessions know no other way to subscribe
client, what, *given = sys.argv[1:]
words = {"mcp": Official, "fastmcp": Fast}[client]
asyncio.run({"look": look, "use": use, "task": task, "hear": hear, "leave": leave, "talk": talk}[what](words, *given))
