"""A FastMCP server that is mounted in a FastAPI application, as many are: fastapi_server.py PORT.

It is mounted at `/mcp`, so the application redirects `/mcp` to `/mcp/` (307).
"""

import sys

import uvicorn
from fastapi import FastAPI
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

mcp = FastMCP("mounted", version="1.2.3", instructions="Ask for the weather.")


@mcp.tool(tags={"weather", "read"}, annotations={"readOnlyHint": True}, meta={"com.example/kept": [1, None]})
def forecast(city: str, days: int = 1) -> dict:
    """Returns the weather of the next days."""
    return {"city": city, "days": ["sun"] * days}


@mcp.tool(tags={"weather", "write"})
def report(city: str, temperature: float) -> str:
    """Stores a measurement."""
    return f"{city}: {temperature}"


@mcp.tool
def fail() -> str:
    """Fails."""
    raise ToolError("it failed")


@mcp.tool
async def travel(steps: int, ctx: Context) -> str:
    """Reports each step, and logs it."""
    for step in range(steps):
        await ctx.report_progress(step, steps, f"step {step}")
        await ctx.info(f"step {step}")
    return "arrived"


@mcp.tool
async def ask(ctx: Context) -> str:
    """Asks for a city."""
    answer = await ctx.elicit("Which city?", response_type=str)
    return f"{answer.action}: {getattr(answer, 'data', None)}"


@mcp.resource("weather://cities", tags={"read"})
def cities() -> list[str]:
    """All cities."""
    return ["Bern", "Basel"]


@mcp.resource("weather://{city}/now")
def now(city: str) -> str:
    """The weather of one city."""
    return f"sun in {city}"


@mcp.prompt
def plan(city: str) -> str:
    """Plans a trip."""
    return f"Plan a trip to {city}."


mounted = mcp.http_app(path="/")
app = FastAPI(lifespan=mounted.lifespan)
app.mount("/mcp", mounted)

uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
