/**
 * Rules about the files themselves: the root refers, every path has its file, and nothing lies around unused.
 */
import { basename, dirname, join } from 'node:path/posix';
import { isMap, METHODS, walk, type Json } from '../document.js';
import { rule, type Fault, type Rule } from './rule.js';

const ROOT = 'openapi.yaml';

/** `/api/v1/agent/tools/{name}/runAsync` has the file `tools-name-run-async.yaml`. */
export const pathFileName = (path: string): string =>
  `${path
    .replace(/^\/api\/v1\/(agent\/)?/, '')
    .replaceAll(/[{}]/g, '')
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[/.]/g, '-')}.yaml`.replaceAll('-i-d', '-id');

const isReference = (value: Json | undefined): boolean =>
  isMap(value) && typeof value.$ref === 'string' && Object.keys(value).length === 1;

export const sourceRules: Rule[] = [
  rule('root-refers', function* ({ sources }) {
    const root = sources.get(ROOT);
    if (!isMap(root)) return;
    if ('components' in root) yield [ROOT, 'components are files of their own'];
    for (const [path, item] of Object.entries(isMap(root.paths) ? root.paths : {})) {
      if (!isReference(item)) yield [ROOT, `${path} is written in place`];
    }
    const details = isMap(root['x-error-details']) ? Object.values(root['x-error-details']) : [];
    const edge = isMap(root['x-edge-responses'])
      ? Object.values(root['x-edge-responses']).flatMap((family) => (isMap(family) ? Object.values(family) : []))
      : [];
    for (const value of [...details, ...edge])
      if (!isReference(value)) yield [ROOT, 'an extension is written in place'];
  }),
  rule('path-files', function* ({ sources }) {
    const root = sources.get(ROOT);
    const paths = isMap(root) && isMap(root.paths) ? root.paths : {};
    for (const [path, item] of Object.entries(paths)) {
      const file = isMap(item) ? String(item.$ref) : '';
      const source = sources.get(file);
      if (basename(file) !== pathFileName(path)) yield [file, `the file of ${path} is named ${pathFileName(path)}`];
      if (!isMap(source)) continue;
      for (const method of METHODS) {
        const operation = source[method];
        const tags = isMap(operation) && Array.isArray(operation.tags) ? operation.tags : [];
        if (isMap(operation) && dirname(file) !== `paths/${String(tags[0])}`)
          yield [file, `belongs into paths/${String(tags[0])}`];
      }
    }
  }),
  rule('component-files', function* ({ sources }) {
    for (const file of sources.keys()) {
      const name = basename(file, '.yaml');
      if (/^components\/(schemas|parameters|responses|headers)\//.test(file) && !/^[A-Z][A-Za-z0-9]*$/.test(name)) {
        yield [file, 'the file of a component has its name, in PascalCase'];
      }
    }
  }),
  rule('no-unused-files', function* ({ sources, reached }) {
    for (const file of sources.keys()) if (!reached.has(file)) yield [file, 'nothing refers to this file'];
  }),
  rule('no-ref-siblings', function* ({ sources }) {
    for (const [file, source] of sources) {
      const faults: Fault[] = [];
      walk(source, (map, pointer) => {
        if (typeof map.$ref === 'string' && Object.keys(map).length > 1 && !pointer.includes('/value/')) {
          faults.push([`${file}#${pointer}`, 'what stands beside $ref is lost']);
        }
      });
      yield* faults;
    }
  }),
  rule('local-references', function* ({ document, sources, reached }) {
    for (const [file, source] of sources) {
      const faults: Fault[] = [];
      walk(source, (map, pointer) => {
        const ref = map.$ref;
        if (typeof ref !== 'string' || pointer.includes('/value/')) return;
        if (/^[a-z]+:/.test(ref) || ref.includes('#') || !reached.has(join(dirname(file), ref))) {
          faults.push([`${file}#${pointer}`, `${ref} is no file of the contract`]);
        }
      });
      yield* faults;
    }
    const unresolved: Fault[] = [];
    walk(document, (map, pointer) => {
      if (typeof map.$ref === 'string' && !map.$ref.startsWith('#/components/') && !pointer.includes('/value/')) {
        unresolved.push([pointer, `${map.$ref} is not local in the bundle`]);
      }
    });
    yield* unresolved;
  }),
];
