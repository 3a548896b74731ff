import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { Metrics } from '#platform';
import { starvingGauge } from '../../libs/rounds/src/fair-share/starvation-clocks.js';

export const rulesFile = 'deploy/prometheus/curtail.rules.yaml';

export interface Alert {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: { summary: string; description: string; runbook_url: string };
}

export const rulesText = readFileSync(rulesFile, 'utf8');
const { groups } = parse(rulesText) as { groups: { name: string; rules: Alert[] }[] };
export const alerts: readonly Alert[] = groups.flatMap(({ rules }) => rules);

/** Of histograms. */
const suffix = /_(bucket|sum|count)$/;
/** Labels that the scrape adds, and that of buckets. */
const ofScrape = ['instance', 'job', 'pod', 'namespace', 'le'];

/** What is wrong with the metrics and labels that an expression names: every one must exist. */
export function metricFaults(expr: string): string[] {
  const faults: string[] = [];
  for (const [, name = '', , selectors = ''] of expr.matchAll(/\b(curtail_\w+)(\{([^}]*)\})?/g)) {
    const labels = labelsByMetric.get(name) ?? labelsByMetric.get(name.replace(suffix, ''));
    if (!labels) faults.push(`${name} is no metric`);
    for (const [, label = ''] of selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)) {
      if (labels && ![...labels, ...ofScrape].includes(label)) faults.push(`${name} has no label ${label}`);
    }
  }
  return faults;
}

/** The labels of every metric, by its name. */
const labelsByMetric: ReadonlyMap<string, readonly string[]> = new Map([
  // `labelNames` is not in its types.
  ...(new Metrics().registry.getMetricsAsArray() as unknown as { name: string; labelNames: string[] }[]).map(
    ({ name, labelNames }) => [name, labelNames] as const,
  ),
  [starvingGauge.name, starvingGauge.labels],
]);
