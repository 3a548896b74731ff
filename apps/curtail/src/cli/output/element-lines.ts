import type { FairShareStatus, Plan, Ratios } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { amountsText } from './amounts.js';
import { tableLines } from './table.js';
import type { Breaks } from './width.js';

/** Lines that a table lists of each kind; JSON has all. */
const mostListed = 1000;

/** The reasons to act of a plan that has any, and whether each is answered. */
export function reasonLines({ reasons = [] }: Pick<Plan, 'reasons'>, invocation: Invocation): string[] {
  const rows = reasons.map(({ cause, kind, name, missing, answered }) => [
    cause,
    kind,
    name,
    amountsText(missing),
    answered ? 'yes' : 'no',
  ]);
  return listed(['CAUSE', 'KIND', 'NAME', 'MISSING', 'ANSWERED'], rows, invocation);
}

/** The allocations that start, and the victims each one costs. */
export function startLines({ starts = [] }: Plan, invocation: Invocation): string[] {
  const rows = starts.map(({ operation, node, resources, victims }) => [
    operation,
    node,
    amountsText(resources),
    victims.length === 0 ? '-' : victims.join(', '),
  ]);
  return listed(['OPERATION', 'NODE', 'RESOURCES', 'IN PLACE OF'], rows, invocation);
}

/** The state of pools and operations, with the setting `explain`; of each share the dominant one. */
export function elementStatusLines({ statuses = [] }: Plan, invocation: Invocation): string[] {
  const rows = statuses.map((status) => [
    `${status.kind} ${status.name}`,
    percentOf(status.fairShare),
    percentOf(status.usageShare),
    percentOf(status.demandShare),
    satisfactionText(status.satisfaction),
    status.status.replaceAll('_', ' '),
    status.starvation === 'non_starving' ? '-' : status.starvation.replaceAll('_', ' '),
    groupsText(status),
  ]);
  const titles = ['NAME', 'FAIR', 'USED', 'WANTS', 'SATISFIED', 'STATUS', 'STARVES', 'SAFE/AGGR./PLAIN'];
  return listed(titles, rows, invocation);
}

const breaks: Record<string, Breaks> = {
  MISSING: 'items',
  RESOURCES: 'items',
  'IN PLACE OF': 'items',
  STATUS: 'words',
  STARVES: 'words',
};

function listed(titles: string[], rows: string[][], invocation: Invocation): string[] {
  if (rows.length === 0) return [];
  const columns = titles.map((title) => ({ title, ...(breaks[title] ? { wraps: breaks[title] } : {}) }));
  const lines = tableLines(columns, rows.slice(0, mostListed), invocation);
  const more = rows.length - mostListed;
  return more > 0 ? [...lines, `… and ${more} more: -o json has them all`] : lines;
}

function percentOf(shares: Ratios): string {
  const dominant = Math.max(0, ...Object.values(shares));
  return `${Math.round(dominant * 1000) / 10} %`;
}

function satisfactionText(satisfaction: FairShareStatus['satisfaction']): string {
  return satisfaction === 'infinite' ? '∞' : String(Math.round(satisfaction * 1000) / 1000);
}

function groupsText({ groups }: FairShareStatus): string {
  if (groups === undefined) return '-';
  const { nonPreemptible, aggressivelyPreemptible, preemptible } = groups;
  return [nonPreemptible, aggressivelyPreemptible, preemptible].map(({ length }) => length).join('/');
}
