/**
 * The MCP server behind every measurement: plain Node without dependencies, so that what is measured is the way to it.
 * Plain JavaScript, because it runs as a process of its own and a loader would show in start times.
 * `--init-delay MS` holds back the answer to `initialize`.
 */
import { argv, stdin, stdout } from 'node:process';

const delayFlag = argv.indexOf('--init-delay');
const initDelayMs = delayFlag === -1 ? 0 : Number(argv[delayFlag + 1]);

const numberInput = (name) => ({
  type: 'object',
  properties: { [name]: { type: 'integer', minimum: 0 } },
  required: [name],
});
const TOOLS = [
  {
    name: 'echo',
    description: 'Answers with the text it was given.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    annotations: { readOnlyHint: true },
  },
  { name: 'big', description: 'Answers with a text of that many bytes.', inputSchema: numberInput('bytes') },
  { name: 'sleep', description: 'Answers after that many milliseconds.', inputSchema: numberInput('ms') },
];

const send = (message) => stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: value }] });

/** The result, or undefined when it is sent later. */
const call = (id, name, input) => {
  switch (name) {
    case 'echo':
      return text(input.text);
    case 'big':
      return text('x'.repeat(input.bytes));
    case 'sleep':
      setTimeout(() => send({ id, result: text('awake') }), input.ms);
      return undefined;
    default:
      return { ...text(`no tool ${name}`), isError: true };
  }
};

const answer = ({ id, method, params }) => {
  switch (method) {
    case 'initialize': {
      const result = {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'bench-echo', version: '1.0.0' },
      };
      if (initDelayMs === 0) return { id, result };
      setTimeout(() => send({ id, result }), initDelayMs);
      return undefined;
    }
    case 'ping':
      return { id, result: {} };
    case 'tools/list':
      return { id, result: { tools: TOOLS } };
    case 'tools/call': {
      const result = call(id, params.name, params.arguments);
      return result && { id, result };
    }
    default:
      return { id, error: { code: -32601, message: 'method not found' } };
  }
};

let rest = '';
stdin.setEncoding('utf8');
stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  // The answers to one chunk leave in one write: the server must not be what limits a run.
  let out = '';
  for (const line of lines) {
    const message = JSON.parse(line);
    const reply = message.id === undefined ? undefined : answer(message);
    if (reply) out += `${JSON.stringify({ jsonrpc: '2.0', ...reply })}\n`;
  }
  if (out !== '') stdout.write(out);
});
stdin.on('end', () => process.exit(0));
