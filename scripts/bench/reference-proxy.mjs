/**
 * The reference process: Express and the MCP SDK's Client put together in the plainest way, with no validation, gates,
 * sessions or log. Plain JavaScript, because a loader would show in its start time and memory.
 * Usage: node reference-proxy.mjs SERVERS.json TOOL.json; its first line on stdout is where it listens.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { argv, env, stdout } from 'node:process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import express from 'express';

/** The SDK's own limit of 10 MiB would refuse the largest result that is measured. */
const MAX_MESSAGE_BYTES = 64 * 1_024 * 1_024;

const [servers, tool] = argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')));

const clients = new Map();
await Promise.all(
  servers.map(async ({ name, command, args }) => {
    const client = new Client({ name: 'bench-reference', version: '1.0.0' });
    await client.connect(
      new StdioClientTransport({ command, args, env, stderr: 'ignore', maxBufferSize: MAX_MESSAGE_BYTES }),
    );
    await client.listTools();
    clients.set(name, client);
  }),
);

const app = express();
app.use(express.json({ limit: '8mb' }));
app.get('/tools/read_file', (_request, response) => {
  response.json(tool);
});
// Express 5 answers for a handler that rejects.
// oxlint-disable-next-line oxc/no-async-endpoint-handlers
app.post('/read_file', async (request, response) => {
  response.json({ ok: true, output: await readFile(request.body.params.path, 'utf8') });
});
// oxlint-disable-next-line oxc/no-async-endpoint-handlers
app.post('/run/:server/:tool', async (request, response) => {
  const client = clients.get(request.params.server);
  if (!client) {
    response.status(404).json({ code: 'not_found' });
    return;
  }
  const result = await client.callTool({ name: request.params.tool, arguments: request.body.params });
  const output = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  response.json({ ok: result.isError !== true, output });
});

const listener = app.listen(0, '127.0.0.1', () => {
  stdout.write(`reference listening on http://127.0.0.1:${listener.address().port}\n`);
});

process.on('SIGTERM', async () => {
  await Promise.all([...clients.values()].map((client) => client.close()));
  process.exit(0);
});
