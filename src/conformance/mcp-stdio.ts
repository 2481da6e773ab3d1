/**
 * The small MCP server over stdio: a program that a target starts, as `mcp-stdio.js LOG [TRAIT…]`. It notes every
 * message as a line of LOG, so that the suite can read what reached it after it is gone. It ends with its stdin.
 */
import { appendFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { CRASH_EXIT_CODE, McpServer, type Seen } from './mcp-server.js';

const [, , log, ...traits] = process.argv;
const note = (seen: Seen): void => appendFileSync(log!, `${JSON.stringify(seen)}\n`);
const server = new McpServer({
  traits,
  note,
  exit: (said) => {
    writeSync(process.stderr.fd, `${said}\n`);
    process.exit(CRASH_EXIT_CODE);
  },
});
const send = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
const received = { env: process.env, cwd: process.cwd(), pid: process.pid };

createInterface({ input: process.stdin })
  .on('line', (line) => void server.take(JSON.parse(line) as Parameters<McpServer['take']>[0], send, received))
  .on('close', () => {
    note({ method: '(end)' });
    process.exit(0);
  });
