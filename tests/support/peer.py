"""What the official Python client sees of one MCP server, as JSON on standard output.

Usage: peer.py URL MODE FILTER CALL, where MODE is "auto" or "legacy", FILTER is JSON for `params.filter`
and CALL is JSON `{"tool", "arguments", "uri", "prompt", "promptArguments"}`.
"""

import asyncio
import json
import sys
from typing import Literal

import mcp_types as types
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError


class FilteredParams(types.PaginatedRequestParams):
    """List parameters with the member that the client has no argument for."""

    filter: dict


class FilteredRequest(types.Request[FilteredParams, Literal["tools/list"]]):
    """The client's own request type would drop what its parameters do not declare."""

    method: Literal["tools/list"] = "tools/list"
    params: FilteredParams


async def look(url: str, mode: str, wanted: dict, call: dict) -> dict:
    async with Client(url, mode=mode) as client:
        everything = await client.list_tools()
        request = FilteredRequest(params=FilteredParams(filter=wanted))
        filtered = await client.session.send_request(request, types.ListToolsResult)
        result = await client.call_tool(call["tool"], call["arguments"])
        read = await client.read_resource(call["uri"])
        prompt = await client.get_prompt(call["prompt"], call["promptArguments"])
        try:
            await client.call_tool("no-such-tool", {})
            refused = None
        except MCPError as error:
            refused = {"code": error.error.code, "message": error.error.message}
        return {
            "protocol": client.protocol_version,
            "all": [tool.name for tool in everything.tools],
            "filtered": [tool.name for tool in filtered.tools],
            "meta": [tool.meta for tool in filtered.tools],
            "called": [block.text for block in result.content if block.type == "text"],
            "isError": bool(result.is_error),
            "read": [content.uri for content in read.contents],
            "messages": len(prompt.messages),
            "resources": [resource.uri for resource in (await client.list_resources()).resources],
            "templates": [t.uri_template for t in (await client.list_resource_templates()).resource_templates],
            "prompts": [prompt.name for prompt in (await client.list_prompts()).prompts],
            "refused": refused,
        }


url, mode, wanted, call = sys.argv[1:5]
print(json.dumps(asyncio.run(look(url, mode, json.loads(wanted), json.loads(call))), default=str))
