/**
 * HTML as text that can be read: headings, list items, links and paragraphs stay recognizable, what is never shown is
 * left out. One pass over the source without a tree, so no page can make it slow or deep; it is a reader and no browser.
 */

/** What is inside is never shown as text. */
const HIDDEN: ReadonlySet<string> = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'svg',
  'iframe',
  'object',
  'math',
]);
const BLOCKS: ReadonlySet<string> = new Set(
  'address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hr html main nav ol p pre section summary table tbody tfoot thead title tr ul'.split(
    ' ',
  ),
);
const HEADING = /^h([1-6])$/;
const HREF = /(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;

/** The names people write; every other character comes as itself or by number. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  bull: '•',
  copy: '©',
  eacute: 'é',
  euro: '€',
  gt: '>',
  hellip: '…',
  laquo: '«',
  larr: '←',
  ldquo: '“',
  lsquo: '‘',
  lt: '<',
  mdash: '—',
  middot: '·',
  nbsp: ' ',
  ndash: '–',
  quot: '"',
  raquo: '»',
  rarr: '→',
  rdquo: '”',
  reg: '®',
  rsquo: '’',
  times: '×',
  trade: '™',
};

const decoded = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return (Object.hasOwn(NAMED, name as string) ? NAMED[name as string] : undefined) ?? whole;
    const code = decimal === undefined ? parseInt(hex as string, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '�';
  });

/** Where a tag or declaration that begins at `from` ends, or -1. A quoted attribute value may hold `>`. */
const endOfTag = (html: string, from: number): number => {
  for (let at = from; at < html.length; at += 1) {
    const char = html[at];
    if (char === '>') return at;
    if ((char === '"' || char === "'") && html[at - 1] === '=') {
      at = html.indexOf(char, at + 1);
      if (at === -1) return -1;
    }
  }
  return -1;
};

interface Tag {
  readonly name: string;
  readonly closes: boolean;
  readonly attributes: string;
}

/** The pieces of the source in their order: texts, and the tags between them. */
function* pieces(html: string): Generator<string | Tag> {
  let at = 0;
  for (let open = html.indexOf('<'); open !== -1; open = html.indexOf('<', at)) {
    const isComment = html.startsWith('<!--', open);
    const isTag = /[a-zA-Z/!?]/.test(html[open + 1] ?? '');
    if (!isTag) {
      yield html.slice(at, open + 1);
      at = open + 1;
      continue;
    }
    yield html.slice(at, open);
    const end = isComment ? html.indexOf('-->', open + 4) : endOfTag(html, open + 1);
    if (end === -1) return;
    at = isComment ? end + 3 : end + 1;
    const source = html.slice(open + 1, end);
    const name = isComment ? '' : (/^\/?([a-zA-Z][^\s/>]*)/.exec(source)?.[1] ?? '').toLowerCase();
    if (name === '') continue;
    const tag = { name, closes: source.startsWith('/'), attributes: source };
    if (!HIDDEN.has(name) || tag.closes || source.endsWith('/')) {
      yield tag;
      continue;
    }
    const close = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
    close.lastIndex = at;
    const found = close.exec(html);
    if (!found) return;
    const closed = endOfTag(html, found.index + 1);
    if (closed === -1) return;
    at = closed + 1;
  }
  yield html.slice(at);
}

/** A link as it can be fetched; undefined for one that only works in a browser. */
const target = (href: string, base: URL): string | undefined => {
  const url = URL.canParse(href, base.href) ? new URL(href, base.href) : undefined;
  return url && !href.startsWith('#') && /^(https?|mailto):$/.test(url.protocol) ? url.href : undefined;
};

/** The text of a page. `base` is where its relative links start. */
export const htmlText = (html: string, base: URL): string => {
  const out: string[] = [];
  let isAfterSpace = true;
  let preformatted = 0;
  let link: { href: string; from: number } | undefined;
  const put = (text: string, endsInSpace: boolean): void => {
    if (text === '') return;
    out.push(text);
    isAfterSpace = endsInSpace;
  };
  const write = (text: string): void => {
    if (preformatted > 0) return put(decoded(text), text.endsWith('\n'));
    const plain = text.replace(/\s+/g, ' ');
    put(decoded(isAfterSpace ? plain.trimStart() : plain), plain.endsWith(' '));
  };
  const closeLink = (): void => {
    if (!link) return;
    const label = out.splice(link.from).join('');
    const href = label.trim() === '' ? undefined : target(link.href, base);
    put(href === undefined ? label : `[${label.trim()}](${href})`, false);
    link = undefined;
  };

  for (const piece of pieces(html)) {
    if (typeof piece === 'string') {
      write(piece);
      continue;
    }
    const { name, closes, attributes } = piece;
    const level = HEADING.exec(name)?.[1];
    if (name === 'a') {
      closeLink();
      const href = closes ? null : HREF.exec(attributes);
      if (href) link = { href: decoded(href[1] ?? href[2] ?? href[3] ?? ''), from: out.length };
    } else if (name === 'br') {
      put('\n', true);
    } else if (name === 'li') {
      closeLink();
      put(closes ? '\n' : '\n- ', true);
    } else if (name === 'td' || name === 'th') {
      if (closes) put(' | ', true);
    } else if (level !== undefined || BLOCKS.has(name)) {
      closeLink();
      if (name === 'pre') preformatted = Math.max(0, preformatted + (closes ? -1 : 1));
      put(level === undefined || closes ? '\n\n' : `\n\n${'#'.repeat(Number(level))} `, true);
    }
  }
  closeLink();
  // Line by line: an expression over the whole would be slow on a text made for it.
  const lines = out
    .join('')
    .split('\n')
    .map((line) => line.trimEnd());
  const kept = lines.filter((line, index) => line !== '' || (index > 0 && lines[index - 1] !== ''));
  return `${kept.join('\n').trim()}\n`;
};
