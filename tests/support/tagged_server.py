"""A FastMCP server whose tools, resources and prompts have tags: tagged_server.py PORT."""

import sys

from fastmcp import FastMCP

server = FastMCP("tagged", version="1.0.0")


@server.tool(tags={"crm", "stable"})
def find_customer(name: str) -> str:
    """Finds a customer."""
    return f"found {name}"


@server.tool(tags={"crm", "destructive"})
def delete_customer(name: str) -> str:
    """Deletes a customer."""
    return f"deleted {name}"


@server.tool(tags={"mail"})
def send_mail(to: str) -> str:
    """Sends a message."""
    return f"sent to {to}"


@server.tool()
def ping() -> str:
    """Answers."""
    return "pong"


@server.resource("crm://customers", tags={"crm"})
def customers() -> str:
    """All customers."""
    return "Ada, Grace"


@server.resource("mail://inbox")
def inbox() -> str:
    """All messages."""
    return "none"


@server.prompt(tags={"crm"})
def introduce(name: str) -> str:
    """Introduces a customer."""
    return f"Introduce {name}."


server.run("http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
