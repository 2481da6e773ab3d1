/**
 * The frozen copies of released contracts, openapi/released/VERSION.json, and what they bind us to. Neither they nor the
 * requirement sets beside them (VERSION.cases.json) are ever edited: SHA256SUMS says what each was.
 * Invariant: while the major version stays, whoever was written against a release goes on working.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operationsOf, type ApiDocument } from './document.js';
import { diffContracts } from './diff/operations.js';

const FOLDER = 'openapi/released';
const SUMS = 'SHA256SUMS';
const COPY = /^\d+\.\d+\.\d+\.json$/;

export interface Release {
  readonly version: string;
  readonly document: ApiDocument;
}

/** What is wrong with the releases, and with the current contract in their light, one sentence each. */
export function releaseFaults(root: string, current: ApiDocument, changelog: string): string[] {
  const faults = frozenFaults(root);
  if (faults.length > 0) return faults;
  const latest = latestRelease(root);
  if (latest === undefined) return [];
  const version = versionOf(current);
  if (byVersion(version, latest.version) < 0) {
    return [`openapi/openapi.yaml: version ${version} is older than ${latest.version}, which is released`];
  }
  faults.push(...brokenPromises(latest, current));
  const released = new Set(operationsOf(latest.document).map(({ operation }) => operation.operationId));
  for (const { operation } of operationsOf(current)) {
    const id = operation.operationId;
    if (!released.has(id) && !changelog.includes(`\`${id}\``)) {
      faults.push(`CHANGELOG.md does not name ${id}, which ${latest.version} does not have`);
    }
  }
  return faults;
}

/** The newest release, undefined before the first one. */
export function latestRelease(root: string): Release | undefined {
  const version = versionsIn(root).at(-1);
  return version === undefined ? undefined : readRelease(root, version);
}

/** Throws when there is no such release. */
export function readRelease(root: string, version: string): Release {
  return { version, document: JSON.parse(readFileSync(join(root, FOLDER, `${version}.json`), 'utf8')) as ApiDocument };
}

/**
 * Freezes the text of a contract under its version, and the requirement sets that are there. Returns the path. Throws
 * when that version has been released with another text, breaks the latest release, or is not in the changelog.
 */
export function freeze(root: string, text: string, changelog: string): string {
  const document = JSON.parse(text) as ApiDocument;
  const version = versionOf(document);
  const path = `${FOLDER}/${version}.json`;
  if (existsSync(join(root, path)) && readFileSync(join(root, path), 'utf8') !== text) {
    throw new Error(`${version} is released and stays as it was: raise the version in openapi/openapi.yaml`);
  }
  if (!changelog.includes(`contract ${version}`)) throw new Error(`CHANGELOG.md does not speak of contract ${version}`);
  const faults = releaseFaults(root, document, changelog);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  mkdirSync(join(root, FOLDER), { recursive: true });
  writeFileSync(join(root, path), text);
  const sums = frozenIn(root).map((name) => `${sumOf(root, name)}  ${name}\n`);
  writeFileSync(join(root, FOLDER, SUMS), sums.join(''));
  return path;
}

function brokenPromises(latest: Release, current: ApiDocument): string[] {
  if (majorOf(versionOf(current)) > majorOf(latest.version)) return [];
  return diffContracts(latest.document, current)
    .filter(({ breaking }) => breaking)
    .map(
      ({ at, message }) =>
        `${at}: ${message}, which breaks callers of ${latest.version}: keep it or raise the major version`,
    );
}

/** Copies that are not what they were when they were frozen. */
function frozenFaults(root: string): string[] {
  const names = frozenIn(root);
  const file = join(root, FOLDER, SUMS);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  const sums = new Map(lines.map((line) => line.split('  ').toReversed() as [string, string]));
  return [...new Set([...names, ...sums.keys()])].flatMap((name) => {
    if (!names.includes(name)) return [`${FOLDER}/${name} is released and gone: bring it back`];
    // A requirement set is written before it is frozen.
    if (!sums.has(name)) return COPY.test(name) ? [`${FOLDER}/${name} was not frozen by npm run spec:release`] : [];
    return sumOf(root, name) === sums.get(name) ? [] : [`${FOLDER}/${name} is released and was changed: bring it back`];
  });
}

const frozenIn = (root: string): string[] =>
  existsSync(join(root, FOLDER)) ? readdirSync(join(root, FOLDER)).filter((name) => name !== SUMS) : [];

const sumOf = (root: string, name: string): string =>
  createHash('sha256')
    .update(readFileSync(join(root, FOLDER, name)))
    .digest('hex');

/** Oldest first. */
const versionsIn = (root: string): string[] =>
  frozenIn(root)
    .filter((name) => COPY.test(name))
    .map((name) => name.slice(0, -'.json'.length))
    .toSorted(byVersion);

const versionOf = (document: ApiDocument): string => String((document.info as { version: string }).version);

const majorOf = (version: string): number => Number(version.split('.')[0]);

const byVersion = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
