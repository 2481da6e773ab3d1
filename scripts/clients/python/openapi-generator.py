"""The main story told through the client that openapi-generator writes for Python.

It raises for failures and hands out streams unread. Arguments: address of the daemon, working folder, program and file
of an MCP server.
"""

import json
import sys
import time

from agentd import (
    ApiClient,
    ApiError,
    ChangesApi,
    ChangeTokens,
    Configuration,
    CreateMcpWriteIntentBody,
    CreateSessionBody,
    DeleteMcpServerBody,
    ExperimentalApi,
    McpApi,
    McpServer,
    McpServerEntry,
    McpWriteIntent,
    McpWriteResult,
    PreviewMcpImportBody,
    RunToolBody,
    SessionsApi,
    SettingsLayer,
    ToolsApi,
    UpsertMcpServerBody,
    WorkspaceApiError,
)
from agentd.exceptions import BadRequestException, ConflictException

base_url, cwd, command, server_file = sys.argv[1:]
api = ApiClient(Configuration(host=base_url))
sessions, mcp, experimental = SessionsApi(api), McpApi(api), ExperimentalApi(api)
scope = SettingsLayer.PROJECT

session_id = sessions.create_session(create_session_body=CreateSessionBody(cwd=cwd)).session_id
print("session", session_id)

document = json.dumps({"mcpServers": {"files": {"command": command, "args": [server_file, cwd]}}})
preview = mcp.preview_mcp_import(PreviewMcpImportBody(session_id=session_id, document=document))
assert (preview.dialect, preview.servers[0].name) == ("claude", "files")
print("preview", preview.dialect, preview.count)


def intend(op: str) -> McpWriteIntent:
    return mcp.create_mcp_write_intent(CreateMcpWriteIntentBody(session_id=session_id, op=op, scope=scope))


intent = intend("upsert")
print("intent", intent.path)

server = McpServerEntry(name="files", command=command, args=[server_file, cwd])


def upsert(nonce: str, expect_hash: str) -> McpWriteResult:
    return mcp.upsert_mcp_server(
        UpsertMcpServerBody(session_id=session_id, scope=scope, nonce=nonce, expect_hash=expect_hash, server=server)
    )


written = upsert(intent.nonce, intent.hash)
assert written.hash != intent.hash
print("upsert", len(written.servers))


def listed() -> list[McpServer]:
    return mcp.list_mcp_servers(session_id).servers


while not all(row.connected for row in listed()):
    time.sleep(0.1)
print("list", listed()[0].tool_count)

run = RunToolBody(params={"path": f"{cwd}/hello.txt"})
result = ToolsApi(api).run_session_tool(session_id, "mcp__files__read_text_file", run_tool_body=run)
assert result.ok and "hello" in result.output
print("tool", result.output.strip())

try:
    upsert(intend("upsert").nonce, intent.hash)
    raise AssertionError("a stale hash went through")
except ConflictException as refused:
    assert isinstance(refused.data, ApiError) and refused.data.code == "mcp_conflict"
    print("conflict", refused.data.code)

last = intend("delete")
removed = mcp.delete_mcp_server(
    DeleteMcpServerBody(session_id=session_id, scope=scope, nonce=last.nonce, expect_hash=last.hash, name=server.name)
)
assert (removed.servers, removed.revoked) == ([], 1)
print("delete", removed.revoked)

stream = ChangesApi(api).stream_changes_without_preload_content()
lines = iter(stream)
event, data = (next(lines).decode().strip().split(": ", 1)[1] for _ in range(2))
stream.close()
reading = ChangeTokens.from_json(data)
assert event == "snapshot" and reading and isinstance(reading.tokens.sessions, str)
print("stream", event, len(reading.tokens.to_dict()))

workspace_id = sessions.get_session(session_id).session.workspace_id
tools = experimental.list_workspace_tools(workspace_id)
assert ("read_file", "fs.read") in [(tool.id, tool.permission_key) for tool in tools]
print("workspace", len(tools))

try:
    experimental.list_workspace_tools("nowhere")
    raise AssertionError("there is no such workspace")
except BadRequestException as failure:
    assert isinstance(failure.data, WorkspaceApiError) and failure.data.data is None
    assert failure.data.errors[0].code == "WORKSPACE_NOT_FOUND"
    print("envelope", failure.data.errors[0].code)

print("story ok")
