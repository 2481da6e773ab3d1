/**
 * The reference page: Swagger UI over our own document, offline. Its files come from the package (`scripts/build.ts`
 * copies them beside this file) or, when run from source, from the development dependency.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Contract } from './contract.js';
import type { Headers, TextReply } from './operation.js';

/** Scripts, styles and data from here only; nothing inline but the images the viewer draws, and no framing. */
const PAGE_HEADERS: Headers = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
};

/** The viewer's files change with the package only; a day saves a megabyte a visit. */
const ASSET_HEADERS: Headers = { 'Cache-Control': 'max-age=86400' };

const VIEWER_FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
  LICENSE: 'text/plain',
  NOTICE: 'text/plain',
};

/** References are relative to `…/docs`, so the page also works behind a proxy that adds a prefix. */
const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<main id="reference"></main>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</html>
`;

const START_SCRIPT = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
});
`;

export const docsPage = (): TextReply<200, 'text/html'> => ({
  status: 200,
  contentType: 'text/html',
  text: PAGE,
  headers: PAGE_HEADERS,
});

/** The files the page loads. They stand below the page's own path and are no operations of the contract. */
export class DocsAssets {
  readonly #prefix: string | undefined;
  readonly #loaded = new Map<string, TextReply>();

  constructor(contract: Contract) {
    const page = contract.operations.find((operation) => operation.id === 'getDocs');
    this.#prefix = page && `${page.path}/`;
  }

  /** The asset at a path, undefined when there is none. */
  find(method: string, path: string): TextReply | undefined {
    if (this.#prefix === undefined || !path.startsWith(this.#prefix)) return undefined;
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    return this.#load(path.slice(this.#prefix.length));
  }

  #load(name: string): TextReply | undefined {
    if (name === 'start.js') return asset('text/javascript', START_SCRIPT);
    const contentType = Object.hasOwn(VIEWER_FILES, name) ? VIEWER_FILES[name] : undefined;
    if (contentType === undefined) return undefined;
    let found = this.#loaded.get(name);
    if (found === undefined)
      this.#loaded.set(name, (found = asset(contentType, readFileSync(viewerFile(name), 'utf8'))));
    return found;
  }
}

const asset = (contentType: string, text: string): TextReply => ({
  status: 200,
  contentType,
  text,
  headers: ASSET_HEADERS,
});

function viewerFile(name: string): string {
  const packaged = fileURLToPath(new URL(`./docs/${name}`, import.meta.url));
  return existsSync(packaged)
    ? packaged
    : fileURLToPath(new URL(`../../node_modules/swagger-ui-dist/${name}`, import.meta.url));
}
