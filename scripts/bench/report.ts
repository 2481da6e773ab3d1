/**
 * Samples to a Markdown table: medians, and the daemon's ratio to the reference and to the SDK. Samples of the same
 * round are compared with each other where there are as many of both, so that a slow minute of the machine cancels out.
 */
import type { Failure, Sample } from './bench.js';
import { median } from './load.js';
import { TARGET_LABELS, TARGET_NAMES, type TargetName } from './target.js';

/** The lines of the table, one row a figure, in the order the figures were first taken. */
export function table(samples: readonly Sample[]): string {
  const rows = new Map<string, Sample[]>();
  for (const sample of samples) {
    const title = `| ${sample.scenario} | ${sample.figure}, ${sample.unit} |`;
    const row = rows.get(title);
    if (row) row.push(sample);
    else rows.set(title, [sample]);
  }
  const { daemon, reference, sdk } = TARGET_LABELS;
  const lines = [
    `| scenario | figure | ${daemon} | ${reference} | ${daemon} / ${reference} | ${sdk} | ${daemon} / ${sdk} |`,
    '|---|---|---:|---:|---:|---:|---:|',
  ];
  for (const [title, row] of rows) {
    const values = Object.fromEntries(
      TARGET_NAMES.map((name) => [name, row.filter(({ target }) => target === name).map(({ value }) => value)]),
    ) as Record<TargetName, number[]>;
    const cells = [
      shown(values.daemon),
      shown(values.reference),
      ratio(values.daemon, values.reference),
      shown(values.sdk),
      ratio(values.daemon, values.sdk),
    ];
    lines.push(`${title} ${cells.join(' | ')} |`);
  }
  return lines.join('\n');
}

export const failureLines = (failures: readonly Failure[]): string =>
  failures.map(({ scenario, target, message }) => `- ${scenario}, ${TARGET_LABELS[target]}: ${message}`).join('\n');

const NONE = '–';

const shown = (values: readonly number[]): string => (values.length === 0 ? NONE : digits(median(values)));

const digits = (value: number): string => value.toLocaleString('en-US', { maximumSignificantDigits: 3 });

/** The median ratio, with the lowest and highest when there are several. */
function ratio(values: readonly number[], base: readonly number[]): string {
  if (values.length === 0 || base.length === 0) return NONE;
  if (values.length !== base.length) return `×${digits(median(values) / median(base))}`;
  const ratios = values.map((value, index) => value / (base[index] ?? NaN));
  const range = ratios.length > 1 ? ` (${digits(Math.min(...ratios))}–${digits(Math.max(...ratios))})` : '';
  return `×${digits(median(ratios))}${range}`;
}
