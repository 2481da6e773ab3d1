/**
 * Rules about the list of requirements beside the OpenAPI files. The error catalogue has its own (errors.ts).
 */
import { rule, type Rule } from './rule.js';

const REQUIREMENT_ID = /^[a-z][a-z0-9]*(\.[a-z0-9]+(-[a-z0-9]+)*){2,}$/;

export const listRules: Rule[] = [
  rule('requirement-ids', function* ({ lists }) {
    const seen = new Set<string>();
    for (const { id } of lists.requirements) {
      if (!REQUIREMENT_ID.test(id)) yield [`requirements.yaml ${id}`, 'an id is area.topic.claim'];
      if (seen.has(id)) yield [`requirements.yaml ${id}`, 'this id is taken'];
      seen.add(id);
    }
  }),
  rule('requirement-form', function* ({ lists }) {
    for (const row of lists.requirements) {
      const at = `requirements.yaml ${row.id}`;
      if (row.level !== 'MUST' && row.level !== 'SHOULD') yield [at, 'level is MUST or SHOULD'];
      for (const field of ['text', 'from', 'check'] as const) {
        if (typeof row[field] !== 'string' || row[field] === '') yield [at, `${field} is missing`];
      }
    }
  }),
  rule('requirement-checks', function* ({ lists, testSource }) {
    for (const { id, check } of lists.requirements) {
      if (check === 'pending' || typeof check !== 'string') continue;
      const [path = '', ...name] = check.split(': ');
      const text = testSource(path);
      if (text === undefined) yield [`requirements.yaml ${id}`, `${path} does not exist`];
      else if (!text.includes(name.join(': '))) yield [`requirements.yaml ${id}`, `${path} has no test of this name`];
    }
  }),
];
