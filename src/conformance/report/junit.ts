/** The report document as JUnit XML, the form that build servers read: a suite for each tag, a case for each case. */
import type { ReportCase, ReportDocument } from './document.js';
import { denominatorOf } from './summary.js';

export const junitOf = (document: ReportDocument, allowUntestable: boolean): string => {
  const groups = new Map<string, ReportCase[]>();
  for (const each of document.cases) {
    const tag = each.id.split('/')[0]!;
    groups.set(tag, [...(groups.get(tag) ?? []), each]);
  }
  const suites = [...groups].map(([tag, cases]) => suiteOf(tag, cases, document, allowUntestable));
  const time = (document.ms / 1_000).toFixed(3);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${text(denominatorOf(document.summary))}" tests="${document.cases.length}" time="${time}">`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
};

const suiteOf = (
  tag: string,
  cases: readonly ReportCase[],
  { contract, requirements, seed }: ReportDocument,
  allowUntestable: boolean,
): string => {
  const rows = cases.map((each) => rowOf(each, allowUntestable));
  const count = (kind: Kind) => rows.filter((row) => row.kind === kind).length;
  return [
    `  <testsuite name="${text(tag)}" tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}">`,
    '    <properties>',
    `      <property name="contract" value="${text(contract.version)} ${text(contract.sha256)}"/>`,
    `      <property name="requirements" value="${text(requirements)}"/>`,
    `      <property name="seed" value="${seed}"/>`,
    '    </properties>',
    ...rows.map((row) => row.xml),
    '  </testsuite>',
  ].join('\n');
};

type Kind = 'pass' | 'failure' | 'error' | 'skipped';

const rowOf = (each: ReportCase, allowUntestable: boolean): { kind: Kind; xml: string } => {
  const [tag, operation, ...rest] = each.id.split('/');
  const name = rest.length === 0 ? operation! : rest.join(' ');
  const className = rest.length === 0 ? tag! : `${tag}.${operation}`;
  const kind = kindOf(each, allowUntestable);
  const message = text(`${each.outcome}: ${each.reasons[0] ?? each.title}`);
  const open = `    <testcase classname="${text(className)}" name="${text(name)}" time="${(each.ms / 1_000).toFixed(3)}">`;
  const properties = `<properties><property name="level" value="${each.level}"/><property name="tier" value="${each.tier}"/></properties>`;
  const inner =
    kind === 'pass'
      ? ''
      : `<${kind} message="${message}" type="${each.outcome}">${text(each.reasons.join('\n'))}</${kind}>`;
  return { kind, xml: `${open}${properties}${inner}</testcase>` };
};

const kindOf = ({ outcome }: ReportCase, allowUntestable: boolean): Kind => {
  switch (outcome) {
    case 'pass':
      return 'pass';
    case 'fail':
      return 'failure';
    case 'error':
      return 'error';
    case 'untestable':
      return allowUntestable ? 'skipped' : 'failure';
    default:
      return 'skipped';
  }
};

/** XML 1.0 has no way to say most control characters. */
const UNSAYABLE =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const text = (value: string): string =>
  value
    .replaceAll(UNSAYABLE, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
