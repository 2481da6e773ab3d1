/** The small MCP server of mcp-server.ts over stdio: a program that a target starts. It ends with its stdin. */
import { createInterface } from 'node:readline';
import { respond } from './mcp-server.js';

createInterface({ input: process.stdin }).on('line', (line) => {
  void respond(JSON.parse(line) as Parameters<typeof respond>[0]).then((reply) => {
    if (reply !== undefined) process.stdout.write(`${JSON.stringify(reply)}\n`);
  });
});
