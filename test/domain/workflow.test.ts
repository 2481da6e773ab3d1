/** Workflow definitions as values: the syntax of references, what a definition may be, and what a run may be given. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from '../../src/domain/json.js';
import { render } from '../../src/domain/workflow-template.js';
import { checkDefinition, inputsOf, type WorkflowDefinition } from '../../src/domain/workflow.js';

const VALUES: JsonObject = {
  inputs: {
    file: 'a.txt',
    times: 3,
    flag: false,
    nothing: null,
    deep: { list: [10, { x: 'y' }] },
    tricky: '{{inputs.file}}',
  },
  steps: { read: { output: 'alpha', structured_content: { ok: true } } },
};

describe('a reference', () => {
  test.each<[string, unknown]>([
    ['{{inputs.file}}', 'a.txt'],
    ['{{ inputs.file }}', 'a.txt'],
    ['{{inputs.times}}', 3],
    ['{{inputs.flag}}', false],
    ['{{inputs.nothing}}', null],
    ['{{inputs.deep}}', { list: [10, { x: 'y' }] }],
    ['{{inputs.deep.list.1.x}}', 'y'],
    ['{{steps.read.output}}', 'alpha'],
    ['{{steps.read.structured_content.ok}}', true],
    [' {{inputs.times}}', ' 3'],
    ['{{inputs.file}}{{inputs.times}}', 'a.txt3'],
    ['a {{inputs.flag}} b {{inputs.nothing}} c', 'a false b null c'],
    ['{{inputs.deep}}!', '{"list":[10,{"x":"y"}]}!'],
    ['{{inputs.tricky}}', '{{inputs.file}}'],
    ['<{{inputs.tricky}}>', '<{{inputs.file}}>'],
    ['\\{{inputs.file}}', '{{inputs.file}}'],
    ['docker ps --format "\\{{.Names}}"', 'docker ps --format "{{.Names}}"'],
    ['${HOME} {x} }} \\{', '${HOME} {x} }} \\{'],
    ['', ''],
  ])('%j becomes %j', (template, value) => {
    expect(render({ p: template, deep: [{ q: template }], n: 1 }, VALUES)).toEqual({
      p: value,
      deep: [{ q: value }],
      n: 1,
    });
  });

  test('leaves every text without braces as it is, and keys and other values always', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (params) => {
        const plain = JSON.parse(JSON.stringify(params).replaceAll('{{', '{')) as JsonObject;
        expect(render(plain, VALUES)).toEqual(plain);
      }),
    );
    expect(Object.keys(render({ '{{inputs.file}}': 1 }, VALUES))).toEqual(['{{inputs.file}}']);
  });

  test.each([
    '{{inputs.deep.no}}',
    '{{inputs.deep.list.2}}',
    '{{inputs.deep.list.01}}',
    '{{inputs.file.length}}',
    '{{inputs.constructor}}',
  ])('%s to nothing is told by its name', (template) => {
    expect(() => render({ p: `x ${template}` }, VALUES)).toThrow(`${template.slice(2, -2)} has no value`);
  });

  test('is refused when all of a step come to more than a person can be shown', () => {
    const values = { inputs: { big: 'x'.repeat(300_000) } };
    expect(() => render({ p: '{{inputs.big}}{{inputs.big}}{{inputs.big}}' }, values)).not.toThrow();
    expect(() => render({ p: ['{{inputs.big}}{{inputs.big}}', '{{inputs.big}}', '{{inputs.big}}'] }, values)).toThrow(
      '1048576',
    );
  });
});

const step = (id: string, params: JsonObject = {}) => ({ id, tool: 't', params });
const definition = (steps: WorkflowDefinition['steps'], more: object = {}): WorkflowDefinition => ({ ...more, steps });

describe('a definition', () => {
  test.each<[string, WorkflowDefinition]>([
    [
      'refers to inputs and earlier steps',
      definition([step('a', { p: '{{inputs.x}}' }), step('b', { p: '{{steps.a.output}}' })], { inputs: { x: {} } }),
    ],
    [
      'has values for its inputs',
      definition([step('a')], { inputs: { x: { type: 'integer' }, y: {} }, defaults: { x: 1, y: null } }),
    ],
    [
      'has names of objects',
      definition([step('constructor', { p: '{{inputs.toString}}' })], { inputs: { toString: {} } }),
    ],
  ])('that %s is accepted', (_, accepted) => {
    expect(() => checkDefinition(accepted)).not.toThrow();
  });

  test.each<[WorkflowDefinition, string]>([
    [
      definition([step('a', { p: '{{inputs.x}}' })]),
      'definition.steps.0.params: step a: a reference names an input that is not declared',
    ],
    [definition([step('a', { p: ['{{inputs}}'] })]), 'step a: a reference names an input that is not declared'],
    [
      definition([step('a'), step('b', { p: { q: 'x{{steps.c.output}}' } }), step('c')]),
      'definition.steps.1.params: step b: a reference names a step that does not come before it',
    ],
    [
      definition([step('a', { p: '{{steps.a.output}}' })]),
      'step a: a reference names a step that does not come before it',
    ],
    [
      definition([step('a'), step('b', { p: '{{steps.a}}' })]),
      'a reference to a step goes on with output, structured_content, content',
    ],
    [definition([step('a'), step('b', { p: '{{steps.a.outputs}}' })]), 'a reference to a step goes on with'],
    [definition([step('a'), step('b', { p: '{{steps.a.output.x}}' })]), 'an output is a text and has no members'],
    [definition([step('a', { p: '{{input.x}}' })]), 'a reference begins with inputs or steps'],
    [definition([step('a', { p: '{{}}' })]), 'a reference is made of names with dots between them'],
    [definition([step('a', { p: '{{inputs.x y}}' })]), 'a reference is made of names with dots between them'],
    [definition([step('a', { p: '{{inputs.x' })]), 'a {{ has no }}'],
    [definition([step('a', { p: '{{{inputs.x}}}' })]), 'a {{ has no }}'],
    [definition([step('a'), step('a')]), 'definition.steps.1.id: step a is there already'],
    [definition([step('__proto__')]), 'definition.steps.0.id: a name is a letter'],
    [definition([step('a')], { inputs: { '1x': {} } }), 'definition.inputs: a name is a letter'],
    [definition([step('a')], { defaults: { x: 1 } }), 'definition.defaults.x: the workflow has no such input'],
    [
      definition([step('a')], { inputs: { x: { type: 'integer' } }, defaults: { x: 1.5 } }),
      'definition.defaults.x: must be integer',
    ],
    [definition([step('a', { p: 'x'.repeat(131_072) })]), 'definition: is longer than 131072 characters'],
  ])('that breaks a rule is refused by step and rule (%#)', (refused, words) => {
    expect(() => checkDefinition(refused)).toThrow(words);
  });
});

describe('the inputs of a run', () => {
  const given = definition([step('a')], {
    inputs: { s: { type: 'string' }, n: { type: 'number' }, l: { type: 'array' }, o: { type: 'object' }, any: {} },
    defaults: { s: 'x', n: 1, l: [], o: {} },
  });

  test('are what is given, and the defaults of the rest', () => {
    expect(inputsOf(given, { any: null, n: 2 })).toEqual({ s: 'x', n: 2, l: [], o: {}, any: null });
  });

  test.each<[JsonObject, string]>([
    [{}, 'inputs.any: is needed'],
    [{ any: 1, s: 1 }, 'inputs.s: must be string'],
    [{ any: 1, l: {} }, 'inputs.l: must be array'],
    [{ any: 1, o: [] }, 'inputs.o: must be object'],
    [{ any: 1, n: null }, 'inputs.n: must be number'],
    [{ any: 1, other: 1 }, 'inputs.other: the workflow has no such input'],
  ])('%j are refused by name and rule', (values, words) => {
    expect(() => inputsOf(given, values)).toThrow(words);
  });
});
