//! The main story told through the client that progenitor writes from the 3.0 document. A body that is not JSON is
//! handed out as a stream of bytes, which is how the event stream is read. Arguments: address of the daemon, working
//! folder, program and file of an MCP server.

use agentd::types::{ChangeTokens, CreateMcpWriteIntentBodyOp as Op, McpServerEntry, McpWriteIntent, SettingsLayer};
use agentd::types::{McpServerList, McpWriteResult, ToolParams};
use agentd::{Client, Error};
use futures_util::StreamExt;
use serde_json::json;
use std::time::Duration;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

struct Story {
    api: Client,
    session: String,
}

impl Story {
    async fn intend(&self, op: Op) -> Outcome<McpWriteIntent> {
        let mint = self.api.create_mcp_write_intent();
        let minted = mint.body_map(|body| {
            body.session_id(self.session.as_str())
                .op(op)
                .scope(SettingsLayer::Project)
        });
        Ok(minted.send().await?.into_inner())
    }

    async fn upsert(
        &self,
        nonce: &str,
        hash: &str,
        server: &McpServerEntry,
    ) -> Result<McpWriteResult, Error<agentd::types::ApiError>> {
        let write = self.api.upsert_mcp_server().body_map(|body| {
            let body = body.session_id(self.session.as_str()).scope(SettingsLayer::Project);
            body.nonce(nonce).expect_hash(hash).server(server.clone())
        });
        Ok(write.send().await?.into_inner())
    }

    async fn listed(&self) -> Outcome<McpServerList> {
        Ok(self
            .api
            .list_mcp_servers()
            .session_id(self.session.as_str())
            .send()
            .await?
            .into_inner())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [base_url, cwd, command, server_file] = &arguments[..] else {
        return Err("four arguments".into());
    };
    let api = Client::new(base_url);

    let created = api
        .create_session()
        .body_map(|body| body.cwd(cwd.clone()))
        .send()
        .await?;
    let story = Story {
        api,
        session: created.into_inner().session_id,
    };
    let (api, session) = (&story.api, story.session.as_str());
    println!("session {session}");

    let args = vec![server_file.clone(), cwd.clone()];
    let document = json!({ "mcpServers": { "files": { "command": command, "args": args } } }).to_string();
    let preview = api
        .preview_mcp_import()
        .body_map(|body| body.session_id(session).document(document))
        .send()
        .await?;
    assert_eq!(
        (preview.dialect.to_string().as_str(), preview.servers[0].name.as_str()),
        ("claude", "files")
    );
    println!("preview {} {}", preview.dialect, preview.count);

    let intent = story.intend(Op::Upsert).await?;
    println!("intent {}", intent.path);

    let server: McpServerEntry = McpServerEntry::builder()
        .name("files")
        .command(command.clone())
        .args(args)
        .try_into()?;
    let written = story.upsert(&intent.nonce, &intent.hash, &server).await?;
    assert_ne!(written.hash, intent.hash);
    println!("upsert {}", written.servers.len());

    while !story.listed().await?.servers.iter().all(|row| row.connected) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    println!("list {:?}", story.listed().await?.servers[0].tool_count);

    let params = ToolParams(
        json!({ "path": format!("{cwd}/hello.txt") })
            .as_object()
            .unwrap()
            .clone(),
    );
    let run = api.run_session_tool().id(session).name("mcp__files__read_text_file");
    let result = run.body_map(|body| body.params(params)).send().await?;
    assert!(result.ok && result.output.contains("hello"), "{}", result.output);
    println!("tool {}", result.output.trim());

    let fresh = story.intend(Op::Upsert).await?;
    match story.upsert(&fresh.nonce, &intent.hash, &server).await {
        Err(Error::ErrorResponse(refused)) => {
            assert_eq!(
                (refused.status().as_u16(), refused.code.as_str()),
                (409, "mcp_conflict")
            );
            println!("conflict {}", refused.code);
        }
        other => panic!("a stale hash went through: {other:?}"),
    }

    let last = story.intend(Op::Delete).await?;
    let delete = api.delete_mcp_server().body_map(|body| {
        let body = body.session_id(session).scope(SettingsLayer::Project);
        body.nonce(last.nonce.as_str())
            .expect_hash(last.hash.as_str())
            .name("files")
    });
    let removed = delete.send().await?;
    assert_eq!((removed.servers.len(), removed.revoked), (0, 1));
    println!("delete {}", removed.revoked);

    let mut stream = api.stream_changes().send().await?.into_inner_stream();
    let mut text = String::new();
    while !text.contains("\n\n") {
        text += std::str::from_utf8(&stream.next().await.ok_or("it ended")??)?;
    }
    drop(stream);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("event: snapshot"));
    let data = lines
        .next()
        .and_then(|line| line.strip_prefix("data: "))
        .ok_or("no data")?;
    let reading: ChangeTokens = serde_json::from_str(data)?;
    assert!(reading.tokens.sessions.is_some());
    println!("stream snapshot");

    let detail = api.get_session().id(session).send().await?;
    let tools = api
        .list_workspace_tools()
        .workspace_id(detail.session.workspace_id.as_str())
        .send()
        .await?;
    assert!(
        tools
            .iter()
            .any(|tool| tool.id == "read_file" && tool.permission_key.as_deref() == Some("fs.read"))
    );
    println!("workspace {}", tools.len());

    match api.list_workspace_tools().workspace_id("nowhere").send().await {
        Err(Error::ErrorResponse(failure)) => {
            assert_eq!(
                (&failure.data, failure.errors[0].code.as_str()),
                (&None, "WORKSPACE_NOT_FOUND")
            );
            println!("envelope {}", failure.errors[0].code);
        }
        other => panic!("there is no such workspace: {other:?}"),
    }

    println!("story ok");
    Ok(())
}
