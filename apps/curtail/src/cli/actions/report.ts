import type { Report } from '#api-client';
import type { Invocation } from '../invocation/invocation.js';
import { print, write } from '../output/print.js';
import { barChart, csvText, hoursOf, reportLines } from '../output/report-lines.js';
import { clientOf } from '../server/client.js';
import { CommandError } from '../terminal/errors.js';

interface ReportOptions {
  since: string;
  until?: string;
  by: Report['by'];
  partition?: string;
  limit: number;
  csv?: boolean;
  svg?: boolean;
  resource: string;
}

export async function run(
  invocation: Invocation,
  { since, until, by, partition, limit, csv = false, svg = false, resource }: ReportOptions,
): Promise<undefined> {
  const report = await clientOf(invocation).get('/v1/report', {
    params: { query: { since, until, by, partition, limit } },
  });
  if (csv) await write(invocation, csvText(rowsOf(report)));
  else if (svg) await write(invocation, plotOf(report, resource));
  else {
    await print(invocation, {
      value: report,
      table: () => reportLines(report, invocation),
      names: () => report.items.map(({ name }) => `${by}/${name}`),
    });
  }
  if (report.more > 0)
    invocation.report(`${report.more} more groups have fewer victims: see them with --limit`);
}

/** Amounts in base units times hours, one column for each resource type. */
function rowsOf({ by, items, total }: Report): string[][] {
  const types = Object.keys(total.lost).sort();
  return [
    [by, 'victims', 'runs', 'victims of unknown loss', ...types.map((type) => `${type} hours`)],
    ...items.map(({ name, victims, runs, unknown, lost }) => [
      name,
      ...[victims, runs, unknown].map(String),
      ...types.map((type) => String(lost[type] ?? 0)),
    ]),
  ];
}

function plotOf({ items, by, since, until, total }: Report, resource: string): string {
  const known = Object.keys(total.lost).sort();
  if (known.length > 0 && !known.includes(resource)) {
    throw new CommandError(`no ${resource} was lost in this period: --resource may be ${known.join(', ')}`);
  }
  const bars = items
    .map(({ name, lost }) => ({ name: name || '-', value: lost[resource] ?? 0 }))
    .sort((a, b) => b.value - a.value)
    .map((bar) => ({ ...bar, label: hoursOf(resource, bar.value) }));
  return barChart(`Work lost by ${by}: ${resource}, ${since.slice(0, 10)} to ${until.slice(0, 10)}`, bars);
}
