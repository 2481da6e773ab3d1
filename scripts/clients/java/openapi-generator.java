/**
 * The main story told through the client that openapi-generator writes for Java's own HTTP client. It throws for
 * failures, with the body as text, and buffers what it reads, so the event stream is read raw. Arguments: address of the
 * daemon, working folder, program and file of an MCP server.
 */
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ExperimentalApi;
import org.openapitools.client.api.McpApi;
import org.openapitools.client.api.SessionsApi;
import org.openapitools.client.api.ToolsApi;
import org.openapitools.client.model.*;

class Story {
  static final SettingsLayer SCOPE = SettingsLayer.PROJECT;
  static String session;
  static McpApi mcp;

  static void check(boolean ok, Object seen) {
    if (!ok) throw new AssertionError(seen);
  }

  static McpWriteIntent intend(CreateMcpWriteIntentBody.OpEnum op) throws ApiException {
    var body = new CreateMcpWriteIntentBody().sessionId(session).op(op).scope(SCOPE);
    return mcp.createMcpWriteIntent(body, null, null, null, null, null);
  }

  static McpWriteResult upsert(String nonce, String hash, McpServerEntry server) throws ApiException {
    var body = new UpsertMcpServerBody().sessionId(session).scope(SCOPE).nonce(nonce).expectHash(hash).server(server);
    return mcp.upsertMcpServer(body, null, null, null, null, null);
  }

  static List<McpServer> listed() throws ApiException {
    return mcp.listMcpServers(session, null, null, null, null, null).getServers();
  }

  public static void main(String[] arguments) throws Exception {
    String baseUrl = arguments[0], cwd = arguments[1], command = arguments[2], serverFile = arguments[3];
    var api = new ApiClient();
    api.updateBaseUri(baseUrl);
    ObjectMapper json = api.getObjectMapper();
    mcp = new McpApi(api);
    var sessions = new SessionsApi(api);
    var experimental = new ExperimentalApi(api);

    var posture = new CreateSessionBody().cwd(cwd);
    session = sessions.createSession(null, null, null, null, null, posture).getSessionId();
    System.out.println("session " + session);

    var args = List.of(serverFile, cwd);
    var entry = Map.of("command", command, "args", args);
    var document = json.writeValueAsString(Map.of("mcpServers", Map.of("files", entry)));
    var pasted = new PreviewMcpImportBody().sessionId(session).document(document);
    var preview = mcp.previewMcpImport(pasted, null, null, null, null, null);
    check(preview.getServers().get(0).getName().equals("files"), preview);
    System.out.println("preview " + preview.getDialect().getValue() + " " + preview.getCount());

    var intent = intend(CreateMcpWriteIntentBody.OpEnum.UPSERT);
    System.out.println("intent " + intent.getPath());

    var server = new McpServerEntry().name("files").command(command).args(args);
    var written = upsert(intent.getNonce(), intent.getHash(), server);
    check(!written.getHash().equals(intent.getHash()), written);
    System.out.println("upsert " + written.getServers().size());

    while (!listed().stream().allMatch(McpServer::getConnected)) Thread.sleep(100);
    System.out.println("list " + listed().get(0).getToolCount());

    var run = new RunToolBody().putParamsItem("path", cwd + "/hello.txt");
    var result = new ToolsApi(api)
        .runSessionTool(session, "mcp__files__read_text_file", null, null, null, null, null, null, null, run);
    check(result.getOk() && result.getOutput().contains("hello"), result);
    System.out.println("tool " + result.getOutput().strip());

    try {
      upsert(intend(CreateMcpWriteIntentBody.OpEnum.UPSERT).getNonce(), intent.getHash(), server);
      throw new AssertionError("a stale hash went through");
    } catch (ApiException refused) {
      var code = json.readValue(refused.getResponseBody(), ApiError.class).getCode();
      check(refused.getCode() == 409 && code.equals("mcp_conflict"), refused);
      System.out.println("conflict " + code);
    }

    var last = intend(CreateMcpWriteIntentBody.OpEnum.DELETE);
    var delete = new DeleteMcpServerBody().sessionId(session).scope(SCOPE).nonce(last.getNonce());
    delete.expectHash(last.getHash()).name("files");
    var removed = mcp.deleteMcpServer(delete, null, null, null, null, null);
    check(removed.getServers().isEmpty() && removed.getRevoked() == 1, removed);
    System.out.println("delete " + removed.getRevoked());

    var request = HttpRequest.newBuilder(URI.create(baseUrl + "/api/v1/agent/changes/stream")).build();
    var stream = api.getHttpClient().send(request, BodyHandlers.ofInputStream()).body();
    var lines = new BufferedReader(new InputStreamReader(stream));
    check(lines.readLine().equals("event: snapshot"), "another event came first");
    var reading = json.readValue(lines.readLine().substring("data: ".length()), ChangeTokens.class);
    stream.close();
    check(reading.getTokens().getSessions() != null, reading);
    System.out.println("stream snapshot");

    var workspace = sessions.getSession(session, null, null, null, null, null).getSession().getWorkspaceId();
    var tools = experimental.listWorkspaceTools(workspace);
    check(
        tools.stream().anyMatch(tool -> tool.getId().equals("read_file") && "fs.read".equals(tool.getPermissionKey())),
        tools);
    System.out.println("workspace " + tools.size());

    try {
      experimental.listWorkspaceTools("nowhere");
      throw new AssertionError("there is no such workspace");
    } catch (ApiException refused) {
      var failure = json.readValue(refused.getResponseBody(), WorkspaceApiError.class);
      check(failure.getData() == null, failure);
      check(failure.getErrors().get(0).getCode().equals("WORKSPACE_NOT_FOUND"), failure);
      System.out.println("envelope " + failure.getErrors().get(0).getCode());
    }

    System.out.println("story ok");
  }
}
