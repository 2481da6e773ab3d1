/**
 * JSON values as YAML in block style. It exists because the general library takes a fifth of a second for the contract,
 * during which the daemon would answer nobody. Scalars are written as JSON, which YAML 1.2 reads alike.
 */
import type { JsonValue } from '../domain/json.js';

/** The value as a document, with a final line break. */
export const toYaml = (value: JsonValue): string => `${block(value, '').trimStart()}\n`;

function block(value: JsonValue, indent: string): string {
  if (typeof value !== 'object' || value === null) return ` ${JSON.stringify(value)}`;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []';
    return value.map((item) => `\n${indent}-${inItem(block(item, inner))}`).join('');
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return ' {}';
  return entries.map(([key, member]) => `\n${indent}${plainKey(key)}:${block(member, inner)}`).join('');
}

/** The first line of a nested block stands beside its dash. */
const inItem = (text: string): string => (text.startsWith('\n') ? ` ${text.trimStart()}` : text);

/** Keys that no reader of YAML, old or new, takes for anything but text. */
const PLAIN_KEY = /^(?!(?:true|false|yes|no|on|off|null|y|n)$)[A-Za-z_][\w-]*$/i;

const plainKey = (key: string): string => (PLAIN_KEY.test(key) ? key : JSON.stringify(key));
