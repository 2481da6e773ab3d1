/**
 * The MCP server behind every measurement: plain Node without dependencies, so that what is measured is the way to it.
 * Plain JavaScript, because it runs as a process of its own and a loader would show in start times.
 * `--init-delay MS` holds back the answer to `initialize`, `--tools N` adds tools until there are N, `--resources N` lists
 * that many resources, and `--resources-delay MS` holds that list back.
 */
import { argv, stdin, stdout } from 'node:process';

const flag = (name) => (argv.includes(name) ? Number(argv[argv.indexOf(name) + 1]) : 0);
const initDelayMs = flag('--init-delay');
const resourcesDelayMs = flag('--resources-delay');

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

/** A tool like the ones real servers have: a handful of members, an enum, a union, a reference. */
const furtherTool = (number) => ({
  name: `tool_${number}`,
  description: 'Looks something up in the place it is given and answers with what it found there, one result a line.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, description: 'What to look for.' },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 10, description: 'How many results.' },
      order: { enum: ['newest', 'oldest'], default: 'newest' },
      since: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }], default: null },
      place: { $ref: '#/$defs/Place' },
    },
    required: ['query'],
    additionalProperties: false,
    $defs: { Place: { type: 'object', properties: { path: { type: 'string' }, deep: { type: 'boolean' } } } },
  },
});
while (TOOLS.length < flag('--tools')) TOOLS.push(furtherTool(TOOLS.length));
const RESOURCES = Array.from({ length: flag('--resources') }, (_, number) => ({
  uri: `bench://resource/${number}`,
  name: `resource_${number}`,
  description: 'A text that a model may want to read.',
  mimeType: 'text/plain',
}));

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
        capabilities: { tools: {}, ...(RESOURCES.length > 0 && { resources: {} }) },
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
    case 'resources/list':
      if (resourcesDelayMs === 0) return { id, result: { resources: RESOURCES } };
      setTimeout(() => send({ id, result: { resources: RESOURCES } }), resourcesDelayMs);
      return undefined;
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
