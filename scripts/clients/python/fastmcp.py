"""The main story told through FastMCP, which reads the document when it starts and offers each operation as a tool.

So this is what an agent sees that gets our API as tools. An event stream is no tool; it is read over the HTTP client.
Arguments: address of the daemon, working folder, program and file of an MCP server.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import httpx2
from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.providers.openapi import MCPType, RouteMap

base_url, cwd, command, server_file = sys.argv[1:]
spec = json.loads(Path("openapi.json").read_text())
streams = [RouteMap(pattern=r"/stream$", mcp_type=MCPType.EXCLUDE)]


async def tell(http: httpx2.AsyncClient, api: Client[Any]) -> None:
    async def call(operation: str, **arguments: Any) -> Any:
        return (await api.call_tool(operation, arguments)).structured_content

    async def refusal(operation: str, **arguments: Any) -> dict[str, Any]:
        try:
            await call(operation, **arguments)
        except ToolError as refused:
            # The message ends in the body.
            body: dict[str, Any] = json.loads(str(refused)[str(refused).index("{") :])
            return body
        raise AssertionError(f"{operation} was not refused")

    session_id = (await call("createSession", cwd=cwd))["session_id"]
    print("session", session_id)
    known = {"session_id": session_id, "scope": "project"}

    args = [server_file, cwd]
    document = json.dumps({"mcpServers": {"files": {"command": command, "args": args}}})
    preview = await call("previewMcpImport", session_id=session_id, document=document)
    assert (preview["dialect"], preview["servers"][0]["name"]) == ("claude", "files")
    print("preview", preview["dialect"], preview["count"])

    async def intend(op: str) -> dict[str, str]:
        minted = await call("createMcpWriteIntent", op=op, **known)
        return {"nonce": minted["nonce"], "expect_hash": minted["hash"]}

    intent = await intend("upsert")
    print("intent", len(intent))

    server = {"name": "files", "command": command, "args": args}
    written = await call("upsertMcpServer", server=server, **known, **intent)
    assert written["hash"] != intent["expect_hash"]
    print("upsert", len(written["servers"]))

    async def listed() -> list[dict[str, Any]]:
        servers: list[dict[str, Any]] = (await call("listMcpServers", session_id=session_id))["servers"]
        return servers

    while not all(row["connected"] for row in await listed()):
        await asyncio.sleep(0.1)
    print("list", (await listed())[0]["tool_count"])

    params = {"path": f"{cwd}/hello.txt"}
    result = await call("runSessionTool", id=session_id, name="mcp__files__read_text_file", params=params)
    assert result["ok"] and "hello" in result["output"]
    print("tool", result["output"].strip())

    stale = {**await intend("upsert"), "expect_hash": intent["expect_hash"]}
    refused = await refusal("upsertMcpServer", server=server, **known, **stale)
    assert refused["code"] == "mcp_conflict"
    print("conflict", refused["code"])

    removed = await call("deleteMcpServer", name="files", **known, **await intend("delete"))
    assert (removed["servers"], removed["revoked"]) == ([], 1)
    print("delete", removed["revoked"])

    async with http.stream("GET", "/api/v1/agent/changes/stream") as stream:
        lines = stream.aiter_lines()
        event, data = [(await anext(lines)).split(": ", 1)[1] for _ in range(2)]
    assert event == "snapshot" and "sessions" in json.loads(data)["tokens"]
    print("stream", event)

    session = (await call("getSession", id=session_id))["session"]
    tools = (await call("listWorkspaceTools", workspaceID=session["workspace_id"]))["result"]
    assert ("read_file", "fs.read") in [(tool["id"], tool["permissionKey"]) for tool in tools]
    print("workspace", len(tools))

    failure = await refusal("listWorkspaceTools", workspaceID="nowhere")
    assert (failure["data"], failure["errors"][0]["code"]) == (None, "WORKSPACE_NOT_FOUND")
    print("envelope", failure["errors"][0]["code"])


async def main() -> None:
    async with httpx2.AsyncClient(base_url=base_url) as http:
        async with Client(FastMCP.from_openapi(openapi_spec=spec, client=http, route_maps=streams)) as api:
            await tell(http, api)
    print("story ok")


asyncio.run(main())
