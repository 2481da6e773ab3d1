// The main story told through the client that oapi-codegen writes. The call without "WithResponse" hands out the body
// unread, which is how the event stream is read. Arguments: address of the daemon, working folder, program and file of
// an MCP server.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"story/client"
)

func check(ok bool, seen ...any) {
	if !ok {
		panic(fmt.Sprint(seen...))
	}
}

// must takes what a call answered; one that did not arrive ends the story.
func must[T any](answer T, err error) T {
	check(err == nil, err)
	return answer
}

func main() {
	baseURL, cwd, command, serverFile := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	ctx := context.Background()
	api := must(client.NewClientWithResponses(baseURL))
	scope := client.Project

	created := must(api.CreateSessionWithResponse(ctx, nil, client.CreateSessionBody{Cwd: &cwd}))
	check(created.JSON201 != nil, string(created.Body))
	session := created.JSON201.SessionId
	fmt.Println("session", session)

	args := []string{serverFile, cwd}
	document := string(must(json.Marshal(map[string]any{
		"mcpServers": map[string]any{"files": map[string]any{"command": command, "args": args}},
	})))
	preview := must(api.PreviewMcpImportWithResponse(ctx, nil, client.PreviewMcpImportBody{
		SessionId: session, Document: document,
	}))
	check(preview.JSON200 != nil && preview.JSON200.Servers[0].Name == "files", string(preview.Body))
	fmt.Println("preview", preview.JSON200.Dialect, preview.JSON200.Count)

	intend := func(op client.CreateMcpWriteIntentBodyOp) *client.McpWriteIntent {
		minted := must(api.CreateMcpWriteIntentWithResponse(ctx, nil, client.CreateMcpWriteIntentBody{
			SessionId: session, Op: op, Scope: &scope,
		}))
		check(minted.JSON200 != nil, string(minted.Body))
		return minted.JSON200
	}
	intent := intend(client.Upsert)
	fmt.Println("intent", intent.Path)

	server := client.McpServerEntry{Name: "files", Command: &command, Args: &args}
	upsert := func(nonce, expectHash string) *client.UpsertMcpServerResponse {
		return must(api.UpsertMcpServerWithResponse(ctx, nil, client.UpsertMcpServerBody{
			SessionId: session, Scope: &scope, Nonce: nonce, ExpectHash: expectHash, Server: server,
		}))
	}
	written := upsert(intent.Nonce, intent.Hash)
	check(written.JSON200 != nil && written.JSON200.Hash != intent.Hash, string(written.Body))
	fmt.Println("upsert", len(written.JSON200.Servers))

	listed := func() client.McpServer {
		answer := must(api.ListMcpServersWithResponse(ctx, &client.ListMcpServersParams{SessionId: session}))
		check(answer.JSON200 != nil, string(answer.Body))
		return answer.JSON200.Servers[0]
	}
	for !listed().Connected {
		time.Sleep(100 * time.Millisecond)
	}
	fmt.Println("list", *listed().ToolCount)

	ran := must(api.RunSessionToolWithResponse(ctx, session, "mcp__files__read_text_file", nil, client.RunToolBody{
		Params: &client.ToolParams{"path": cwd + "/hello.txt"},
	}))
	check(ran.JSON200 != nil && ran.JSON200.Ok && strings.Contains(ran.JSON200.Output, "hello"), string(ran.Body))
	fmt.Println("tool", strings.TrimSpace(ran.JSON200.Output))

	refused := upsert(intend(client.Upsert).Nonce, intent.Hash)
	check(refused.JSON409 != nil && refused.JSON409.Code == "mcp_conflict", string(refused.Body))
	fmt.Println("conflict", refused.JSON409.Code)

	last := intend(client.Delete)
	removed := must(api.DeleteMcpServerWithResponse(ctx, nil, client.DeleteMcpServerBody{
		SessionId: session, Scope: &scope, Nonce: last.Nonce, ExpectHash: last.Hash, Name: server.Name,
	}))
	check(removed.JSON200 != nil && len(removed.JSON200.Servers) == 0, string(removed.Body))
	check(removed.JSON200.Revoked == 1, string(removed.Body))
	fmt.Println("delete", removed.JSON200.Revoked)

	stream := must(api.StreamChanges(ctx, nil))
	lines := bufio.NewReader(stream.Body)
	event := strings.TrimSpace(strings.TrimPrefix(must(lines.ReadString('\n')), "event: "))
	data := strings.TrimPrefix(must(lines.ReadString('\n')), "data: ")
	stream.Body.Close()
	var reading client.ChangeTokens
	err := json.Unmarshal([]byte(data), &reading)
	check(err == nil && event == "snapshot" && reading.Tokens.Sessions != nil, event, data)
	fmt.Println("stream", event)

	detail := must(api.GetSessionWithResponse(ctx, session, nil))
	check(detail.JSON200 != nil, string(detail.Body))
	tools := must(api.ListWorkspaceToolsWithResponse(ctx, detail.JSON200.Session.WorkspaceId))
	check(tools.JSON200 != nil, string(tools.Body))
	found := false
	for _, tool := range *tools.JSON200 {
		found = found || tool.Id == "read_file" && *tool.PermissionKey == "fs.read"
	}
	check(found, string(tools.Body))
	fmt.Println("workspace", len(*tools.JSON200))

	failure := must(api.ListWorkspaceToolsWithResponse(ctx, "nowhere"))
	check(failure.JSON400 != nil && failure.JSON400.Data == nil, string(failure.Body))
	check(failure.JSON400.Errors[0].Code == "WORKSPACE_NOT_FOUND", string(failure.Body))
	fmt.Println("envelope", failure.JSON400.Errors[0].Code)

	fmt.Println("story ok")
}
