"""The main story told through the client that openapi-python-client writes.

It buffers what it reads, so the event stream is read raw, over the HTTP client it brings. Arguments: address of the
daemon, working folder, program and file of an MCP server.
"""

import json
import sys
import time

from agentd import Client
from agentd.api.changes import stream_changes
from agentd.api.experimental import list_workspace_tools
from agentd.api.mcp import (
    create_mcp_write_intent,
    delete_mcp_server,
    list_mcp_servers,
    preview_mcp_import,
    upsert_mcp_server,
)
from agentd.api.sessions import create_session, get_session
from agentd.api.tools import run_session_tool
from agentd.models import (
    ApiError,
    ChangeTokens,
    CreateMcpWriteIntentBody,
    CreateMcpWriteIntentBodyOp,
    CreateSessionBody,
    DeleteMcpServerBody,
    McpImportPreview,
    McpServer,
    McpServerEntry,
    McpServerList,
    McpWriteIntent,
    McpWriteResult,
    PreviewMcpImportBody,
    RunToolBody,
    SessionCreated,
    SessionDetail,
    SettingsLayer,
    ToolParams,
    ToolResult,
    UpsertMcpServerBody,
    WorkspaceApiError,
)
from agentd.types import Response

base_url, cwd, command, server_file = sys.argv[1:]
client = Client(base_url=base_url, raise_on_unexpected_status=True)
scope = SettingsLayer.PROJECT

created = create_session.sync(client=client, body=CreateSessionBody(cwd=cwd))
assert isinstance(created, SessionCreated), created
session_id = created.session_id
print("session", session_id)

document = json.dumps({"mcpServers": {"files": {"command": command, "args": [server_file, cwd]}}})
preview = preview_mcp_import.sync(client=client, body=PreviewMcpImportBody(session_id=session_id, document=document))
assert isinstance(preview, McpImportPreview), preview
assert (preview.dialect, preview.servers[0].name) == ("claude", "files")
print("preview", preview.dialect, preview.count)


def intend(op: CreateMcpWriteIntentBodyOp) -> McpWriteIntent:
    body = CreateMcpWriteIntentBody(session_id=session_id, op=op, scope=scope)
    minted = create_mcp_write_intent.sync(client=client, body=body)
    assert isinstance(minted, McpWriteIntent), minted
    return minted


intent = intend(CreateMcpWriteIntentBodyOp.UPSERT)
print("intent", intent.path)

server = McpServerEntry(name="files", command=command, args=[server_file, cwd])


def upsert(nonce: str, expect_hash: str) -> Response[ApiError | McpWriteResult]:
    body = UpsertMcpServerBody(
        session_id=session_id, scope=scope, nonce=nonce, expect_hash=expect_hash, server=server
    )
    return upsert_mcp_server.sync_detailed(client=client, body=body)


written = upsert(intent.nonce, intent.hash_).parsed
assert isinstance(written, McpWriteResult), written
assert written.hash_ != intent.hash_
print("upsert", len(written.servers))


def listed() -> list[McpServer]:
    answer = list_mcp_servers.sync(client=client, session_id=session_id)
    assert isinstance(answer, McpServerList), answer
    return answer.servers


while not all(row.connected for row in listed()):
    time.sleep(0.1)
print("list", listed()[0].tool_count)

params = ToolParams.from_dict({"path": f"{cwd}/hello.txt"})
result = run_session_tool.sync(session_id, "mcp__files__read_text_file", client=client, body=RunToolBody(params=params))
assert isinstance(result, ToolResult) and result.ok and "hello" in result.output, result
print("tool", result.output.strip())

refused = upsert(intend(CreateMcpWriteIntentBodyOp.UPSERT).nonce, intent.hash_)
assert isinstance(refused.parsed, ApiError), refused
assert (refused.status_code, refused.parsed.code) == (409, "mcp_conflict")
print("conflict", refused.parsed.code)

last = intend(CreateMcpWriteIntentBodyOp.DELETE)
removed = delete_mcp_server.sync(
    client=client,
    body=DeleteMcpServerBody(
        session_id=session_id, scope=scope, nonce=last.nonce, expect_hash=last.hash_, name=server.name
    ),
)
assert isinstance(removed, McpWriteResult), removed
assert (removed.servers, removed.revoked) == ([], 1)
print("delete", removed.revoked)

with client.get_httpx_client().stream(**stream_changes._get_kwargs()) as answer:
    lines = answer.iter_lines()
    event, data = next(lines).split(": ", 1)[1], next(lines).split(": ", 1)[1]
tokens = ChangeTokens.from_dict(json.loads(data)).tokens
assert event == "snapshot" and isinstance(tokens.sessions, str)
print("stream", event, len(tokens.to_dict()))

detail = get_session.sync(session_id, client=client)
assert isinstance(detail, SessionDetail), detail
tools = list_workspace_tools.sync(detail.session.workspace_id, client=client)
assert isinstance(tools, list), tools
assert ("read_file", "fs.read") in [(tool.id, tool.permission_key) for tool in tools]
print("workspace", len(tools))

failure = list_workspace_tools.sync("nowhere", client=client)
assert isinstance(failure, WorkspaceApiError), failure
assert (failure.data, failure.errors[0].code) == (None, "WORKSPACE_NOT_FOUND")
print("envelope", failure.errors[0].code)

print("story ok")
