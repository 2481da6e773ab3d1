/** Edits of the text: what changes, and above all what does not. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/domain/json.js';
import { editedSettings, editSettings } from '../../src/files/settings-edits.js';
import { parseSettingsText } from '../../src/files/settings-text.js';
import type { SettingsEdit } from '../../src/ports.js';

const valueOf = (text: string): JsonObject => {
  const parsed = parseSettingsText(text);
  if ('reason' in parsed) throw new Error(`${parsed.reason} in ${text}`);
  return parsed.value;
};
const serversOf = (text: string): JsonValue[] => (valueOf(text)['mcp_servers'] ?? []) as JsonValue[];

const append = (entry: JsonObject): SettingsEdit => ({ kind: 'append', entry });
const remove = (index: number): SettingsEdit => ({ kind: 'remove', index });
const set = (key: string, value?: JsonValue): SettingsEdit => ({ kind: 'set', key, value });
const replace = (index: number, entry: JsonObject): SettingsEdit => ({ kind: 'replace', index, entry });

const lines = (...of: string[]): string => of.join('\n');

interface Row {
  readonly name: string;
  readonly before: string;
  readonly edits: readonly SettingsEdit[];
  readonly after: string;
}

const rows: Row[] = [
  {
    name: 'an empty file gets an object',
    before: '',
    edits: [append({ name: 'a' })],
    after: lines('{', '  "mcp_servers": [', '    {', '      "name": "a"', '    }', '  ]', '}', ''),
  },
  {
    name: 'a file of comments keeps them above the object',
    before: '// mine\r\n\r\n',
    edits: [append({})],
    after: '// mine\r\n{\r\n  "mcp_servers": [\r\n    {}\r\n  ]\r\n}\r\n',
  },
  {
    name: 'a byte order mark stays',
    before: '\uFEFF{}',
    edits: [append({})],
    after: lines('\uFEFF{', '  "mcp_servers": [', '    {}', '  ]', '}'),
  },
  {
    name: 'a missing key is added behind the other keys',
    before: lines('{', '\t"deny_list": [], // why', '}', ''),
    edits: [append({ name: 'a' })],
    after: lines(
      '{',
      '\t"deny_list": [], // why',
      '\t"mcp_servers": [',
      '\t\t{',
      '\t\t\t"name": "a"',
      '\t\t}',
      '\t],',
      '}',
      '',
    ),
  },
  {
    name: 'a missing key is added without a trailing comma where there was none',
    before: lines('{', '    "deny_list": [] // why', '}'),
    edits: [append({})],
    after: lines('{', '    "deny_list": [], // why', '    "mcp_servers": [', '        {}', '    ]', '}'),
  },
  {
    name: 'an empty list opens up',
    before: lines('{', '  "mcp_servers": []', '}'),
    edits: [append({ name: 'a' }), append({ name: 'b' })],
    after: lines(
      '{',
      '  "mcp_servers": [',
      '    {',
      '      "name": "a"',
      '    },',
      '    {',
      '      "name": "b"',
      '    }',
      '  ]',
      '}',
    ),
  },
  {
    name: 'an empty list keeps the comment in it',
    before: lines('{', '  "mcp_servers": [', '    // none yet', '  ]', '}'),
    edits: [append({})],
    after: lines('{', '  "mcp_servers": [', '    // none yet', '    {}', '  ]', '}'),
  },
  {
    name: 'a document on one line stays on it',
    before: '{"mcp_servers":[{"name":"a"}],"x":1}',
    edits: [append({ name: 'b', args: ['x', 'y'] })],
    after: '{"mcp_servers":[{"name":"a"},{"name":"b","args":["x","y"]}],"x":1}',
  },
  {
    name: 'a list on one line of a longer document stays on it',
    before: lines('{', '  "mcp_servers": [{ "name": "a" }] // all', '}'),
    edits: [append({ name: 'b', args: [] })],
    after: lines('{', '  "mcp_servers": [{ "name": "a" }, { "name": "b", "args": [] }] // all', '}'),
  },
  {
    name: 'within a line nothing is put behind a remark that would swallow it',
    before: lines('{"mcp_servers": [{"n":1} // one', ']}'),
    edits: [append({ n: 2 })],
    after: lines('{"mcp_servers": [{"n":1}, { "n": 2 } // one', ']}'),
  },
  {
    name: 'an appended entry goes below the remark behind the last one',
    before: lines('{"mcp_servers": [', '  {"name": "a"} // about a', '  // the end', ']}'),
    edits: [append({})],
    after: lines('{"mcp_servers": [', '  {"name": "a"}, // about a', '  {}', '  // the end', ']}'),
  },
  {
    name: 'a trailing comma stays in use',
    before: lines('{"mcp_servers": [', '  {"name": "a"}, // about a', ']}'),
    edits: [append({})],
    after: lines('{"mcp_servers": [', '  {"name": "a"}, // about a', '  {},', ']}'),
  },
  {
    name: 'the first of two goes with its comma and lines',
    before: lines('{"mcp_servers": [', '  {', '    "name": "a"', '  },', '  {"name": "b"}', ']}'),
    edits: [remove(0)],
    after: lines('{"mcp_servers": [', '  {"name": "b"}', ']}'),
  },
  {
    name: 'the last of two takes the comma before it',
    before: lines('{"mcp_servers": [', '  {"name": "a"}, // about a', '  // about b', '  {"name": "b"}', ']}'),
    edits: [remove(1)],
    after: lines('{"mcp_servers": [', '  {"name": "a"} // about a', '  // about b', ']}'),
  },
  {
    name: 'the last of two with a trailing comma leaves the first one its comma',
    before: lines('{"mcp_servers": [', '  {"name": "a"},', '  {"name": "b"},', ']}'),
    edits: [remove(1)],
    after: lines('{"mcp_servers": [', '  {"name": "a"},', ']}'),
  },
  {
    name: 'the only one leaves an empty list',
    before: lines('{', '  "mcp_servers": [', '    { "name": "a" },', '  ],', '}'),
    edits: [remove(0)],
    after: lines('{', '  "mcp_servers": [],', '}'),
  },
  {
    name: 'the only one leaves the comments of the list',
    before: lines('{"mcp_servers": [', '  // about a', '  {"name": "a"} // old', ']}'),
    edits: [remove(0)],
    after: lines('{"mcp_servers": [', '  // about a', '  // old', ']}'),
  },
  {
    name: 'within a line, entries go with the blank behind them',
    before: '{"mcp_servers": [{"n":1}, {"n":2}, {"n":3}]}',
    edits: [remove(0), remove(2)],
    after: '{"mcp_servers": [{"n":2}]}',
  },
  {
    name: 'a comma on the next line is found',
    before: lines('{"mcp_servers": [', '  {"n":1}', '  , {"n":2}', '  /* c */ , {"n":3}', ']}'),
    edits: [remove(1)],
    after: lines('{"mcp_servers": [', '  {"n":1}', '  ,', '  /* c */  {"n":3}', ']}'),
  },
  {
    name: 'removing all and appending reuses the place',
    before: lines('{"mcp_servers": [', '  // first', '  {"n":1},', '  {"n":2}', ']}'),
    edits: [remove(0), remove(1), append({ n: 3 })],
    after: lines('{"mcp_servers": [', '  // first', '  {', '    "n": 3', '  }', ']}'),
  },
  {
    name: 'a replaced entry keeps the comments of the fields that stay',
    before: lines(
      '{ // settings',
      '  "mcp_servers": [',
      '    {',
      '      "name": "a", // the name',
      '      /* how it starts */',
      '      "command": "npx",',
      '      "args": ["-y", /* pinned */ "pkg@1"],',
      '      "x_team": {"owner" : "me"}, // theirs',
      '      "env": { "TOKEN": "old", "KEEP": "1" }',
      '    },',
      '  ],',
      '}',
    ),
    edits: [
      replace(0, {
        enabled: true,
        name: 'a',
        command: 'npx',
        args: ['-y', 'pkg@2', 'more'],
        x_team: { owner: 'me' },
        env: { KEEP: '1', NEW: '2' },
      }),
    ],
    after: lines(
      '{ // settings',
      '  "mcp_servers": [',
      '    {',
      '      "name": "a", // the name',
      '      /* how it starts */',
      '      "command": "npx",',
      '      "args": ["-y", /* pinned */ "pkg@2", "more"],',
      '      "x_team": {"owner" : "me"}, // theirs',
      '      "env": { "KEEP": "1", "NEW": "2" },',
      '      "enabled": true',
      '    },',
      '  ],',
      '}',
    ),
  },
  {
    name: 'a value of another kind is written anew, in the manner of its line',
    before: lines('{"mcp_servers": [', '  {', '    "env": null,', '    "on": 1', '  }', ']}'),
    edits: [replace(0, { env: { A: '1' }, on: [true] })],
    after: lines(
      '{"mcp_servers": [',
      '  {',
      '    "env": {',
      '      "A": "1"',
      '    },',
      '    "on": [',
      '      true',
      '    ]',
      '  }',
      ']}',
    ),
  },
  {
    name: 'of a repeated key the last one counts',
    before: '{"mcp_servers": [{"n":0}], "mcp_servers": [{"a":1,"b":2,"a":3}]}',
    edits: [replace(0, { a: 4 })],
    after: '{"mcp_servers": [{"n":0}], "mcp_servers": [{"a":1,"a":4}]}',
  },
  {
    name: 'CRLF is used where it is in use, and mixed ends stay mixed',
    before: '{\r\n  "x": 1,\n  "mcp_servers": [\r\n    {"n":1}\r\n  ]\r\n}\n',
    edits: [append({ n: 2 })],
    after: '{\r\n  "x": 1,\n  "mcp_servers": [\r\n    {"n":1},\r\n    {\r\n      "n": 2\r\n    }\r\n  ]\r\n}\n',
  },
  {
    name: 'an equal entry changes nothing, however it is spelled',
    before: '{"mcp_servers":[ {"a":1.0 , "b":"\\u0041"} ]}',
    edits: [replace(0, { b: 'A', a: 1 })],
    after: '{"mcp_servers":[ {"a":1.0 , "b":"\\u0041"} ]}',
  },
  {
    name: 'a whole key is added, changed and removed, and what it holds keeps its remarks',
    before: lines(
      '{',
      '  "rules": [',
      '    { "id": "a" }, // first',
      '    { "id": "b" }, // second',
      '    { "id": "c" } // third',
      '  ],',
      '  "t": 1 // gone',
      '}',
    ),
    edits: [set('rules', [{ id: 'a' }, { id: 'c', x: 1 }]), set('t'), set('u', 2)],
    after: lines(
      '{',
      '  "rules": [',
      '    { "id": "a" }, // first',
      '    // second',
      '    { "id": "c", "x": 1 } // third',
      '  ],',
      '  "u": 2',
      '  // gone',
      '}',
    ),
  },
  {
    name: 'a key of an empty file, and one beside the servers',
    before: '',
    edits: [set('rules', []), append({ name: 'a' })],
    after: lines('{', '  "rules": [],', '  "mcp_servers": [', '    {', '      "name": "a"', '    }', '  ]', '}', ''),
  },
  {
    name: 'a key that is there twice goes altogether',
    before: '{"t":1,"u":2,"t":3}',
    edits: [set('t')],
    after: '{"u":2}',
  },
];

describe('an edit of the list', () => {
  test.each(rows)('$name', ({ before, edits, after }) => {
    expect(editSettings(before, edits)).toBe(after);
    expect(valueOf(after)).toEqual(editedSettings(valueOf(before), edits));
  });

  test('treats __proto__ as a key like any other', () => {
    const entry = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}') as JsonObject;
    const text = editSettings('', [append(entry)]);
    expect(JSON.stringify(serversOf(text))).toBe(JSON.stringify([entry]));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

/** A document written by a person of many habits, with comments that can be told apart. */
const habits = fc.record({
  eol: fc.constantFrom('\n', '\r\n'),
  indent: fc.constantFrom('  ', '    ', '\t', ''),
  mark: fc.constantFrom('', '\uFEFF'),
  trailingCommas: fc.boolean(),
  commentsAbove: fc.boolean(),
  commentsBehind: fc.boolean(),
  layout: fc.constantFrom('lines', 'entry per line', 'one line'),
  finalBreak: fc.boolean(),
});
type Habits = typeof habits extends fc.Arbitrary<infer T> ? T : never;

const key = fc.constantFrom('name', 'command', 'args', 'env', 'url', 'x_extra', '__proto__', 'constructor', '');
const leaf = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constant('// "no" /* comment */,]}'),
);
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 3 }),
  fc
    .uniqueArray(fc.tuple(key, leaf), { maxLength: 3, selector: ([name]) => name })
    .map((pairs) => Object.fromEntries(pairs)),
);
const entry = fc
  .uniqueArray(fc.tuple(key, value), { maxLength: 4, selector: ([name]) => name })
  .map((pairs) => Object.fromEntries(pairs) as JsonObject);

const write = (document: JsonObject, style: Habits): { text: string; comments: string[] } => {
  const comments: string[] = [];
  const comment = (behind: boolean): string => {
    const text = `c${comments.length} "{[,`;
    const whole = behind && style.layout === 'lines' ? `//${text}` : `/*${text}*/`;
    comments.push(whole);
    return whole;
  };
  const print = (node: JsonValue, depth: number, inList: boolean): string => {
    if (typeof node !== 'object' || node === null) return JSON.stringify(node);
    const items = Array.isArray(node)
      ? node.map((child) => print(child, depth + 1, true))
      : Object.entries(node).map(([name, child]) => `${JSON.stringify(name)}: ${print(child, depth + 1, false)}`);
    const [open, close] = Array.isArray(node) ? '[]' : '{}';
    const split = style.layout === 'lines' || (style.layout === 'entry per line' && depth < 2 && !inList);
    const own = split && items.length > 0 ? style.eol + style.indent.repeat(depth) : '';
    // Comments only down to the list of servers: those inside an entry may go with the field they stand at.
    const commented = depth < 2;
    const body = items.map((item, index) => {
      const comma = index < items.length - 1 || style.trailingCommas ? ',' : '';
      const above = commented && style.commentsAbove ? comment(false) + own + style.indent : '';
      const behind = commented && style.commentsBehind ? ` ${comment(true)}` : '';
      return (own === '' ? ' ' : own + style.indent) + above + item + comma + behind;
    });
    const end = own === '' && commented && style.commentsBehind && style.layout === 'lines' ? style.eol : own;
    return `${open}${body.join('')}${end}${close}`;
  };
  const text = style.mark + print(document, 0, false) + (style.finalBreak ? style.eol : '');
  return { text, comments };
};

const step = fc.record({
  removed: fc.array(fc.nat({ max: 5 }), { maxLength: 3 }),
  replaced: fc.array(fc.tuple(fc.nat({ max: 5 }), entry), { maxLength: 2 }),
  appended: fc.array(entry, { maxLength: 2 }),
  rules: fc.option(fc.array(entry, { maxLength: 3 })),
});

describe('any sequence of edits', () => {
  test('says what a list would say, and leaves comments, other keys and other entries as they were', () => {
    fc.assert(
      fc.property(
        habits,
        fc.array(entry, { maxLength: 4 }),
        fc.constantFrom('before', 'behind', 'absent'),
        fc.array(step, { minLength: 1, maxLength: 4 }),
        (style, servers, place, steps) => {
          const rest = { deny_list: ['~/x'], tools: { bash: { enabled: false } } };
          const list: JsonObject = place === 'absent' ? {} : { mcp_servers: servers };
          const document: JsonObject = place === 'before' ? { ...list, ...rest } : { ...rest, ...list };
          const written = write(document, style);
          let text = written.text;
          let model: JsonValue[] = place === 'absent' ? [] : servers;
          let doc = document;
          for (const { removed, replaced, appended, rules: next } of steps) {
            const at = (index: number): number => index % Math.max(1, model.length);
            const gone = new Set(model.length === 0 ? [] : removed.map(at));
            const changed = new Map(model.length === 0 ? [] : replaced.map(([index, next]) => [at(index), next]));
            const edits: SettingsEdit[] = [
              ...[...gone].map((index) => remove(index)),
              ...[...changed].filter(([index]) => !gone.has(index)).map(([index, next]) => replace(index, next)),
              ...appended.map(append),
              ...(next === null ? [] : [set('rules', next)]),
            ];
            if (edits.length === 0) continue;
            const before = model;
            const spelled = entriesOf(text);
            text = editSettings(text, edits);
            doc = editedSettings(doc, edits);
            model = (doc['mcp_servers'] ?? []) as JsonValue[];
            expect(valueOf(text)).toEqual(doc);
            if (next !== null) expect(doc['rules']).toEqual(next);
            // Entries nobody touched are the same bytes, in the same order.
            const untouched = spelled.filter((_, index) => !gone.has(index) && !changed.has(index));
            const kept = entriesOf(text).filter((_, index) => keptPositions(before.length, gone, changed).has(index));
            expect(kept).toEqual(untouched);
          }
          for (const comment of written.comments) expect(text).toContain(comment);
          expect(text.startsWith('\uFEFF')).toBe(style.mark !== '');
          expect(/[\r\n]$/.test(text)).toBe(style.finalBreak);
          if (style.eol === '\r\n') expect(text).not.toMatch(/(?<!\r)\n/);
        },
      ),
      { numRuns: 250 },
    );
  });
});

/** Where the untouched entries are after the edits. */
const keptPositions = (length: number, gone: Set<number>, changed: Map<number, unknown>): Set<number> => {
  const left = Array.from({ length }, (_, index) => index).filter((index) => !gone.has(index));
  return new Set(left.flatMap((index, position) => (changed.has(index) ? [] : [position])));
};

/** The entries as they are spelled. */
const entriesOf = (text: string): string[] => {
  const parsed = parseSettingsText(text);
  if ('reason' in parsed) throw new Error(parsed.reason);
  const list = parsed.root?.children?.find((property) => property.children?.[0]?.value === 'mcp_servers')
    ?.children?.[1];
  const unmarked = text.replace(/^\uFEFF/, '');
  return (list?.children ?? []).map(({ offset, length }) => unmarked.slice(offset, offset + length));
};
