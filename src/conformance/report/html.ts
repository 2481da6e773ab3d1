/**
 * The report document as one HTML page that needs nothing else: a verdict, the counts, a matrix of operations and what
 * they may answer, and every case that did not pass with its exchanges. No script, no font, no picture from anywhere.
 */
import type { Contract, Operation } from '../contract.js';
import type { Outcome } from '../runner.js';
import { OUTCOMES } from '../runner.js';
import type { ReportCase, ReportDocument, ReportExchange } from './document.js';
import { denominatorOf, requirementsLineOf } from './summary.js';

const NAMES: Readonly<Record<Outcome, string>> = {
  pass: 'passed',
  fail: 'failed',
  warn: 'warnings',
  untestable: 'untestable',
  not_applicable: 'not applicable',
  disabled: 'left out',
  error: 'errors of the suite',
  unscored: 'newer than the set',
};
const MARKS: Readonly<Record<Outcome, string>> = {
  pass: '✓',
  fail: '✗',
  warn: '!',
  untestable: '?',
  not_applicable: '–',
  disabled: '·',
  error: '⚠',
  unscored: '+',
};
/** What is told before the matrix, the worst first. */
const WRONG: readonly Outcome[] = ['error', 'fail', 'warn'];
/** What is told after it. */
const ASIDE: readonly Outcome[] = ['untestable', 'unscored', 'not_applicable'];

export const htmlOf = (contract: Contract, document: ReportDocument): string => {
  const verdict = verdictOf(document);
  const title = `${verdict}: ${document.target.base_url}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header class="${document.exit_code === 0 ? 'good' : 'bad'}">
<h1>${text(verdict)}</h1>
<p>${text(document.target.base_url)} · contract ${text(document.contract.version)} · requirements ${text(document.requirements)} · ${text(document.started_at)} · ${(document.ms / 1_000).toFixed(1)} s · seed ${document.seed}</p>
<p>${text(requirementsLineOf(document.summary))}</p>
<p><strong>${text(denominatorOf(document.summary))}</strong></p>
</header>
<main>
${countsTable(document)}
${WRONG.map((outcome) => caseList(document, outcome)).join('\n')}
<h2>What each operation answered</h2>
<p class="legend">${OUTCOMES.map((outcome) => `<span class="${outcome}">${MARKS[outcome]} ${NAMES[outcome]}</span>`).join(' ')}</p>
${matrix(contract, document)}
${ASIDE.map((outcome) => caseList(document, outcome)).join('\n')}
${leftoverList(document)}
<footer>Contract SHA-256 ${text(document.contract.sha256)} · ${text(document.suite.name)} ${text(document.suite.version)}</footer>
</main>
</body>
</html>
`;
};

/** A run that asked a part has shown nothing of the rest. */
const verdictOf = ({ exit_code: exitCode, summary }: ReportDocument): string => {
  const { total, documented, exercised, notApplicable } = summary;
  if (total.error > 0) return 'The suite failed';
  if (total.fail > 0) return 'Does not conform';
  if (exitCode !== 0) return 'Not shown to conform';
  return exercised + notApplicable === documented ? 'Conforms' : 'No failure in what was asked';
};

const countsTable = ({ summary }: ReportDocument): string => {
  const rows = [...Object.entries(summary.byTier), ['all', summary.total] as const].map(([tier, counts]) => {
    const cells = OUTCOMES.map(
      (outcome) => `<td class="${counts[outcome] > 0 ? outcome : 'none'}">${counts[outcome]}</td>`,
    );
    return `<tr><th>${text(tier)}</th>${cells.join('')}</tr>`;
  });
  const heads = OUTCOMES.map((outcome) => `<th>${NAMES[outcome]}</th>`).join('');
  return `<table class="counts"><thead><tr><th>tier</th>${heads}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
};

const leftoverList = ({ leftovers }: ReportDocument): string =>
  leftovers.length === 0
    ? ''
    : `<h2>Left behind</h2><ul>${leftovers.map((leftover) => `<li>${text(leftover)}</li>`).join('')}</ul>`;

/** For each tag operations down, statuses across; a cell has a mark for each answer that is documented by name. */
const matrix = (contract: Contract, { cases }: ReportDocument): string => {
  const byId = new Map(cases.map((each) => [each.id, each]));
  return [...new Set(contract.operations.map(({ tag }) => tag))]
    .map((tag) => {
      const operations = contract.operations.filter((operation) => operation.tag === tag);
      return tagBlock(tag, operations, byId);
    })
    .join('\n');
};

const tagBlock = (tag: string, operations: readonly Operation[], byId: ReadonlyMap<string, ReportCase>): string => {
  const documented = operations.flatMap((operation) => operation.documented);
  const statuses = [...new Set(documented.map(({ status }) => status))].toSorted((a, b) => a - b);
  const counts = OUTCOMES.map((outcome) => [
    outcome,
    documented.filter(({ id }) => outcomeIn(byId, id) === outcome).length,
  ]);
  const told = counts
    .filter(([, count]) => count !== 0)
    .map(([name, count]) => {
      const outcome = name as Outcome;
      return `<span class="${outcome}">${MARKS[outcome]} ${count}</span>`;
    });
  const isWrong = documented.some(({ id }) => WRONG.includes(outcomeIn(byId, id)));
  const rowOf = ({ id, method, path, documented: own }: Operation): string => {
    const cells = statuses.map((status) => {
      const marks = own
        .filter((each) => each.status === status)
        .map((each) => markOf(each.id, each.name, byId.get(each.id)));
      return `<td>${marks.join(' ')}</td>`;
    });
    return `<tr><th>${text(id)}<small>${text(`${method} ${path}`)}</small></th>${cells.join('')}</tr>`;
  };
  const heads = statuses.map((status) => `<th>${status}</th>`).join('');
  return `<details class="tag"${isWrong ? ' open' : ''}><summary><strong>${text(tag)}</strong> <small>${operations.length} ${operations.length === 1 ? 'operation' : 'operations'}</small> ${told.join(' ')}</summary>
<div class="wide"><table class="matrix"><thead><tr><th></th>${heads}</tr></thead><tbody>${operations.map(rowOf).join('')}</tbody></table></div></details>`;
};

const outcomeIn = (byId: ReadonlyMap<string, ReportCase>, id: string): Outcome => byId.get(id)?.outcome ?? 'disabled';

const markOf = (id: string, name: string, each: ReportCase | undefined): string => {
  const outcome = each?.outcome ?? 'disabled';
  const mark = `<span class="${outcome}" title="${text(`${id}: ${NAMES[outcome]}`)}">${MARKS[outcome]} ${text(name)}</span>`;
  return each !== undefined && [...WRONG, ...ASIDE].includes(outcome) ? `<a href="#${anchor(id)}">${mark}</a>` : mark;
};

const caseList = ({ cases }: ReportDocument, outcome: Outcome): string => {
  const told = cases.filter((each) => each.outcome === outcome);
  if (told.length === 0) return '';
  return `<h2>${text(`${NAMES[outcome][0]!.toUpperCase()}${NAMES[outcome].slice(1)}`)} (${told.length})</h2>${told.map(caseBlock).join('\n')}`;
};

const caseBlock = ({ id, title, level, tier, outcome, reasons, exchanges }: ReportCase): string =>
  `<details id="${anchor(id)}"${outcome === 'fail' ? ' open' : ''}><summary><span class="${outcome}">${MARKS[outcome]}</span> <code>${text(id)}</code> <small>${level}, ${tier}</small></summary>
<p>${text(title)}</p>
${reasons.length === 0 ? '' : `<ul>${reasons.map((reason) => `<li>${text(reason)}</li>`).join('')}</ul>`}
${(exchanges ?? []).map(exchangeBlock).join('\n')}</details>`;

const exchangeBlock = ({ request, response, complaints }: ReportExchange): string => {
  const headerLines = (headers: Readonly<Record<string, string | undefined>>) =>
    Object.entries(headers).map(([name, value]) => `${name}: ${value ?? ''}`);
  const asked = [`${request.method} ${request.url}`, ...headerLines(request.headers), '', request.body ?? ''];
  const came = [`${response.status || 'no answer'}`, ...headerLines(response.headers), '', response.body];
  const isWrong = complaints.length > 0;
  return `<div class="exchange${isWrong ? ' wrong' : ''}"><pre>${text(asked.join('\n').trimEnd())}</pre><pre>${text(came.join('\n').trimEnd())}</pre></div>`;
};

const anchor = (id: string): string => id.replaceAll(/[^\w.-]/g, '_');

const text = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --bad: #cf222e; --warn: #9a6700; --dim: #6e7781; }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --bad: #ff7b72; --warn: #d29922; --dim: #9198a1; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; }
header { padding: 1.5rem 2rem; border-left: .5rem solid; } header.good { border-color: var(--good); } header.bad { border-color: var(--bad); }
h1 { margin: 0; } header p { margin: .25rem 0; } main { padding: 0 2rem 3rem; max-width: 100rem; } h2 { margin: 2rem 0 .5rem; }
table { border-collapse: collapse; } th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
.counts td { text-align: right; font-variant-numeric: tabular-nums; } .counts thead th { font-weight: 500; color: var(--dim); }
.wide { overflow-x: auto; } .matrix { font-size: 12px; } .tag summary > * { margin-right: .75rem; } .matrix th small { display: block; font-weight: 400; color: var(--dim); }
.matrix td span { display: block; white-space: nowrap; } a { color: inherit; } .legend span { margin-right: 1rem; }
.pass { color: var(--good); } .fail, .error { color: var(--bad); font-weight: 600; } .warn, .untestable { color: var(--warn); }
.not_applicable, .disabled, .unscored, .none { color: var(--dim); }
details { border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .8rem; margin: .4rem 0; } summary { cursor: pointer; }
.exchange { display: grid; grid-template-columns: repeat(auto-fit, minmax(22rem, 1fr)); gap: .5rem; margin: .5rem 0; }
.exchange pre { margin: 0; padding: .5rem; background: #8881; border-radius: .3rem; overflow-x: auto; white-space: pre-wrap; word-break: break-word; font-size: 12px; }
.exchange.wrong pre:last-child { outline: 2px solid var(--bad); }
footer { margin-top: 3rem; color: var(--dim); font-size: 13px; }
`;
