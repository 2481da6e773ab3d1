/**
 * What stands in a text where something was looked for and not found: the help that a failed edit gives. Pure.
 */

/** A source file, with room to spare. Comparing this much letter by letter takes less than a tenth of a second. */
const COMPARED_CHARS_MAX = 256 * 1024;
/** Who replaces more at once is served better by write_file. */
const WANTED_LINES_MAX = 100;
/** Of two lines with fewer letter pairs in common one is hardly meant for the other. */
const ALIKE = 0.6;
const COMPARED_LINE_CHARS = 300;
/** Enough to see what is meant, and to copy it. */
const SHOWN_LINES = 20;
const SHOWN_CHARS = 400;

const linesOf = (text: string): string[] => text.split(/\r?\n/);
const spaceless = (line: string): string => line.replace(/\s+/g, '');
const plain = (line: string): string =>
  spaceless(line)
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\u2010-\u2015]/g, '-');

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', '"': '"', "'": "'" };
const unescaped = (text: string): string =>
  text.replace(/\\([nt"'])/g, (_, letter: string) => ESCAPED[letter] as string);

/** Without the blank lines at its ends, which say nothing. */
const withoutBlankEnds = (lines: readonly string[]): readonly string[] => {
  const isText = (line: string): boolean => line.trim() !== '';
  return lines.slice(Math.max(0, lines.findIndex(isText)), lines.findLastIndex(isText) + 1);
};

/** Where all wanted lines follow each other, seen through `see`; of a single one a part is enough. -1 when nowhere. */
const placeOf = (lines: readonly string[], wanted: readonly string[], see: (line: string) => string): number => {
  const sought = wanted.map(see);
  const [first = ''] = sought;
  if (sought.length === 1) return lines.findIndex((line) => see(line).includes(first));
  const seen = lines.map(see);
  return seen.findIndex((line, at) => line === first && sought.every((other, index) => seen[at + index] === other));
};

const pairsOf = (line: string): Map<string, number> => {
  const letters = spaceless(line).slice(0, COMPARED_LINE_CHARS);
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < letters.length; at += 1) {
    const pair = letters.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
};

const countOf = (pairs: ReadonlyMap<string, number>): number =>
  [...pairs.values()].reduce((sum, count) => sum + count, 0);

/** From 0, nothing in common, to 1: twice the common pairs of letters over all there are. */
const likeness = (wanted: ReadonlyMap<string, number>, line: string): number => {
  const pairs = pairsOf(line);
  let common = 0;
  for (const [pair, count] of pairs) common += Math.min(count, wanted.get(pair) ?? 0);
  return (2 * common) / Math.max(1, countOf(wanted) + countOf(pairs));
};

/** Where the longest of the wanted lines has its like, less the lines before it. -1 when nothing is like it. */
const likelyPlace = (lines: readonly string[], wanted: readonly string[]): number => {
  const lengths = wanted.map((line) => spaceless(line).length);
  const longest = lengths.indexOf(Math.max(...lengths));
  const pairs = pairsOf(wanted[longest] as string);
  const likenesses = lines.map((line) => likeness(pairs, line));
  const best = likenesses.reduce((max, value) => Math.max(max, value), 0);
  return best < ALIKE ? -1 : Math.max(0, likenesses.indexOf(best) - longest);
};

const shown = (lines: readonly string[], at: number, count: number): string => {
  const end = Math.min(lines.length, at + count, at + SHOWN_LINES);
  const where = end === at + 1 ? `line ${end}` : `lines ${at + 1}-${end}`;
  return `${where}:\n${lines
    .slice(at, end)
    .map((line) => (line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}…` : line))
    .join('\n')}`;
};

/** What stands where `wanted` may have been meant, as a sentence that ends with its lines; undefined when nothing is like it. */
export const nearText = (text: string, wanted: string): string | undefined => {
  const meant = unescaped(wanted);
  if (meant !== wanted && text.includes(meant))
    return 'it would match with line breaks, tabs and quotation marks themselves in place of \\n, \\t and \\"';
  if (text.length > COMPARED_CHARS_MAX) return undefined;
  const lines = linesOf(text);
  const sought = withoutBlankEnds(linesOf(wanted));
  if (sought.length === 0 || sought.length > WANTED_LINES_MAX) return undefined;
  const inSpaces = placeOf(lines, sought, spaceless);
  if (inSpaces !== -1) return `only white space differs from ${shown(lines, inSpaces, sought.length)}`;
  const inMarks = placeOf(lines, sought, plain);
  if (inMarks !== -1) return `only quotation marks or dashes differ from ${shown(lines, inMarks, sought.length)}`;
  const likely = likelyPlace(lines, sought);
  return likely === -1 ? undefined : `the most like it is ${shown(lines, likely, sought.length)}`;
};
