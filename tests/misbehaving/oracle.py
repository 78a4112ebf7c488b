"""What the official Python client lists and calls at misbehaving servers: oracle.py MODE < PLACES.

MODE is `auto` or `legacy`. PLACES is `{answer, form, pages, atATime, well, places: [{place, tool}]}`, where a place is a URL or a
command; times are in seconds. Prints an array of observations, as oracles.mjs describes them.
"""

import asyncio
import json
import logging
import sys
import warnings

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

LISTS = {
    "tools": ("list_tools", "tools", "name"),
    "resources": ("list_resources", "resources", "uri"),
    "resourceTemplates": ("list_resource_templates", "resource_templates", "uri_template"),
    "prompts": ("list_prompts", "prompts", "name"),
}


def connect(place, mode, seconds):
    if isinstance(place, list):
        command, *args = place
        place = stdio_client(StdioServerParameters(command=command, args=args), errlog=open("/dev/null", "w"))
    return Client(place, mode=mode, read_timeout_seconds=seconds, cache=None)


async def pages(client, kind, most):
    method, member, identity = LISTS[kind]
    ids, seen, cursor = [], set(), None
    for _ in range(most):
        try:
            result = await getattr(client, method)(cursor=cursor)
        except Exception:
            break
        ids += [str(getattr(item, identity)) for item in getattr(result, member)]
        cursor = result.next_cursor
        if cursor is None or cursor in seen:
            break
        seen.add(cursor)
    return list(dict.fromkeys(ids))


def shortened(error):
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return (str(error) or type(error).__name__).split("\n")[0][:200]


async def look(given, mode, settings):
    observation = {kind: [] for kind in LISTS}
    connected = False
    try:
        async with asyncio.timeout(settings["form"]):
            async with connect(given["place"], mode, settings["answer"]) as client:
                connected = True
                for kind in LISTS:
                    observation[kind] = await pages(client, kind, settings["pages"])
                try:
                    result = await client.call_tool(given["tool"], {})
                    text = getattr(result.content[0], "text", None) if result.content else None
                    observation["call"] = "ok" if text == settings["well"] else "another result"
                except Exception as error:
                    observation["call"] = shortened(error)
    except BaseException as error:
        if not connected:
            observation["problem"] = shortened(error)
    return observation


async def main():
    settings = json.load(sys.stdin)
    gate = asyncio.Semaphore(settings["atATime"])

    async def one(given):
        async with gate:
            return await asyncio.create_task(look(given, sys.argv[1], settings))

    print(json.dumps(await asyncio.gather(*(one(given) for given in settings["places"]))))


asyncio.run(main())
