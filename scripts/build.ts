/**
 * Builds `dist/` from `src/`: one JavaScript file for each TypeScript file, and the assets of the reference page.
 * It does not check types (`npm run check` does), so a start from a fresh clone stays fast.
 */
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'dist');

rmSync(out, { recursive: true, force: true });
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);
for (const name of sources) {
  const { outputText } = ts.transpileModule(readFileSync(join(root, 'src', name), 'utf8'), {
    fileName: name,
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  });
  const target = join(out, name.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, outputText);
}
chmodSync(join(out, 'main.js'), 0o755);

/** One file in place of the many modules of the query builder, with what we do not use left out (MIT, its licence inside). */
buildSync({
  entryPoints: [join(root, 'src/store/kysely.ts')],
  outfile: join(out, 'store/kysely.js'),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  banner: { js: `/*!\n${readFileSync(join(root, 'node_modules/kysely/LICENSE'), 'utf8')}*/` },
});

/** The reference page is served offline, so the package carries the viewer's files (Apache-2.0, their NOTICE included). */
const viewer = join(root, 'node_modules/swagger-ui-dist');
for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE', 'NOTICE']) {
  cpSync(join(viewer, name), join(out, 'http/docs', name));
}
