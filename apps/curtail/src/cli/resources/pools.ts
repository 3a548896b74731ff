import type { Element } from '#api-client';
import type { Resources } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { amountsText, durationText } from '../output/amounts.js';
import { type Cell, tableLines } from '../output/table.js';
import { agoText, clockText } from '../output/time.js';
import { listedAt } from './listed.js';
import type { ResourceKind } from './resource-kind.js';

const why =
  'no configuration in force switches on the policy fair-share, no nodes of the partition are known, or no round has run yet';
const whenEmpty = (noun: string) => () =>
  `see the last round: curtail get rounds fair-share --partition NAME; or switch it on: curtail apply -f FILE, such as examples/pools.yaml; or name another partition: curtail get ${noun} --partition NAME`;

const number = { align: 'right' as const };
const columns: ResourceKind<Element>['columns'] = [
  { title: 'FAIR', ...number, cell: ({ fairShare }) => percent(fairShare) },
  { title: 'USED', ...number, cell: ({ usageShare }) => percent(usageShare) },
  { title: 'WANTS', ...number, cell: ({ demandShare }) => percent(demandShare) },
  { title: 'SATISFIED', ...number, cell: ({ satisfaction }) => ratio(satisfaction) },
  { title: 'STATUS', cell: statusCell },
  { title: 'STARVES', cell: starvationCell },
  { title: 'BELOW SINCE', wide: true, cell: ({ belowFairShareSince }) => clockText(belowFairShareSince) },
  { title: 'AS OF', wide: true, cell: ({ takenAt }) => clockText(takenAt) },
];

/** Pools as the last round of fair-share found them. */
export const pools: ResourceKind<Element> = {
  kind: 'pool',
  plural: 'pools',
  list: listedAt('/v1/pools', 'partition', 'queue', 'limit', 'after'),
  dated: false,
  nameOf: ({ name }) => name,
  columns: [{ title: 'POOL', holds: 'paths', cell: ({ name }) => name }, ...columns],
  empty: `no pools: ${why}`,
  whenEmpty: whenEmpty('pools'),
  one: async (client, name, { partition }, signal) => {
    const path = name.toLowerCase();
    const { items } = await client.get('/v1/pools', {
      params: { query: { partition, queue: path, limit: 1 } },
      signal,
    });
    return items.find((pool) => pool.name === path);
  },
  below: settingsLines,
  next: (items, place) => {
    const hungry = items.find(({ starvation }) => starvation !== 'non_starving');
    return hungry && `see who waits there: curtail get operations${place} --queue ${hungry.name}`;
  },
};

/** Operations as the last round of fair-share found them. */
export const operations: ResourceKind<Element> = {
  kind: 'operation',
  plural: 'operations',
  list: listedAt('/v1/operations', 'partition', 'queue', 'limit', 'after'),
  dated: false,
  nameOf: ({ name }) => name,
  columns: [
    { title: 'OPERATION', holds: 'paths', cell: ({ name }) => name },
    { title: 'POOL', holds: 'paths', wide: true, cell: ({ queue }) => queue },
    ...columns,
  ],
  empty: `no operations: ${why}`,
  whenEmpty: whenEmpty('operations'),
  // Operations have no path of their own; all kept ones fit on one page.
  one: async (client, name, { partition }, signal) => {
    const { items } = await client.get('/v1/operations', {
      params: { query: { partition, limit: 1000 } },
      signal,
    });
    return items.find((operation) => operation.name === name);
  },
  below: settingsLines,
};

/** The settings in force for it, its own or inherited. */
function settingsLines({ effective = {} }: Partial<Element>, invocation: Invocation): string[] {
  const rows = Object.entries(effective).map(([name, value]) => [name, settingText(name, value)]);
  return rows.length === 0
    ? []
    : ['', ...tableLines([{ title: 'SETTING' }, { title: 'IN FORCE' }], rows, invocation)];
}

function settingText(name: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number')
    return name.endsWith('Timeout') && value > 0 ? durationText(value / 1000) : String(value);
  return Object.keys(value as Resources).length === 0 ? 'none' : amountsText(value as Resources);
}

function statusCell({ status, belowFairShareSince }: Element, now: number): Cell {
  if (status === 'normal') return 'normal';
  return { text: `below ${sinceText(belowFairShareSince, now)}`, tone: 'doubtful' };
}

function starvationCell({ starvation, starvingSince }: Element, now: number): Cell {
  if (starvation === 'non_starving') return '-';
  const how = starvation === 'aggressively_starving' ? 'aggressively' : 'yes';
  return { text: `${how}, ${sinceText(starvingSince, now)}`, tone: 'bad' };
}

function sinceText(at: string | null, now: number): string {
  if (at === null) return '-';
  const seconds = Math.floor((now - Date.parse(at)) / 1000);
  return seconds < 1 ? '0 s' : durationText(seconds);
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const ratio = (satisfaction: number | 'infinite') =>
  typeof satisfaction === 'number' ? satisfaction.toFixed(2) : satisfaction;

/** The state of a pool in the last round, as a sentence. */
export function poolSentence(pool: Element, now: number): string {
  const { fairShare, usageShare, demandShare, starvation, starvingSince } = pool;
  const rounded = (part: number) => `${Math.round(part * 1000) / 10} %`;
  const since = starvingSince ? `, since ${agoText(starvingSince, now)}` : '';
  const starves =
    starvation === 'non_starving' ? 'it does not starve' : `it is ${starvation.replaceAll('_', ' ')}${since}`;
  return `Its fair share is ${rounded(fairShare)} of the cluster; it uses ${rounded(usageShare)} and wants ${rounded(demandShare)}: ${starves}.`;
}
