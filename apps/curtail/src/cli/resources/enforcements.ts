import {
  type Enforcement,
  type EnforcementDetail,
  type FoundVictim,
  pagesOf,
  type Victim,
} from '#api-client';
import { waitingForApproval } from '#contracts';
import { amountsText } from '../output/amounts.js';
import { partitionColumn } from '../output/table.js';
import { agoText, clockText, dueOrWaits, withClockTimes } from '../output/time.js';
import { victimLines } from '../output/victim-lines.js';
import type { Client } from '../server/client.js';
import type { Tone } from '../terminal/printable.js';
import { listedAt } from './listed.js';
import { type ListFilter, moreLines, type ResourceKind } from './resource-kind.js';

type Run = Enforcement & Partial<Pick<EnforcementDetail, 'plannedVictims' | 'next'>>;

export const enforcements: ResourceKind<Run> = {
  kind: 'enforcement',
  plural: 'enforcements',
  shortens: 'enforcement',
  dated: true,
  list: listedAt(
    '/v1/enforcements',
    ...(['partition', 'queue', 'state', 'policy', 'since', 'limit', 'after'] as const),
  ),
  nameOf: ({ enforcement }) => enforcement,
  columns: [
    { title: 'ENFORCEMENT', holds: 'ids', cell: ({ enforcement }) => enforcement },
    { ...partitionColumn, wide: true, cell: ({ partition }) => partition },
    {
      title: 'QUEUE',
      holds: 'paths',
      cell: ({ queue, round }) => (round === null ? queue : `all, round ${round}`),
    },
    { title: 'POLICY', wide: true, cell: ({ policy }) => policy },
    { title: 'STATE', cell: stateCell },
    { title: 'OUTCOME', cell: ({ outcome }) => ({ text: outcome ?? '-', tone: outcomeTone(outcome) }) },
    { title: 'EVICTED', align: 'right', cell: evictedText },
    { title: 'TARGET', wraps: 'items', cell: ({ target }) => amountsText(target) },
    { title: 'FREED', wide: true, cell: ({ freed }) => amountsText(freed) },
    { title: 'SHORTFALL', wide: true, cell: ({ shortfall }) => amountsText(shortfall) },
    { title: 'MODE', wide: true, cell: ({ mode }) => mode ?? '-' },
    { title: 'LATE', wide: true, cell: ({ lateMs }) => (lateMs === null ? '-' : `${lateMs} ms`) },
    { title: 'STARTED', wide: true, cell: ({ startedAt }) => clockText(startedAt) },
    { title: 'CHANGED', holds: 'times', cell: ({ updatedAt }, now) => agoText(updatedAt, now) },
    { title: 'MESSAGE', wide: true, wraps: 'words', cell: ({ message }) => message ?? '-' },
    {
      title: 'WHY',
      optional: true,
      wraps: 'words',
      under: true,
      // The state has the due time.
      cell: ({ waiting }) => (!waiting || waiting.code === 'due' ? '-' : withClockTimes(waiting.message)),
    },
  ],
  empty: 'no enforcements: no quota was lowered yet, and no round of a policy found anything to do',
  next: (items) => {
    const waiting = items.find(({ state }) => state === waitingForApproval);
    return (
      waiting &&
      `continue a waiting run with curtail approve ${waiting.enforcement}, or end it with curtail reject ${waiting.enforcement}`
    );
  },
  one: readRun,
  below: ({ message, victims, plannedVictims = [] }, invocation) => [
    ...(message ? ['', message] : []),
    ...(plannedVictims.length > 0 ? ['', ...victimLines(plannedVictims, invocation)] : []),
    ...(plannedVictims.length > 0 ? moreLines(victims, plannedVictims.length) : []),
  ],
};

/** A run with its victims, page by page. */
async function readRun(client: Client, name: string, { first }: ListFilter, signal?: AbortSignal) {
  const page = (after?: string) =>
    client.get('/v1/enforcements/{enforcement}', {
      params: { path: { enforcement: name }, query: { after, limit: first ?? pageSize } },
      signal,
    });
  let run: Run | undefined;
  const plannedVictims: Victim[] = [];
  for await (const { next: _, ...read } of pagesOf(page)) {
    run ??= read;
    for (const victim of read.plannedVictims ?? []) plannedVictims.push(victim);
    if (first !== undefined) break;
  }
  return run && { ...run, plannedVictims };
}

/** Most items of one page. */
const pageSize = 1000;

function stateCell(run: Run, now: number) {
  const { state } = run;
  if (state === 'scheduled') return dueOrWaits(run, now);
  // It is carried out at once.
  if (state === 'approved' && run.outcome === null) return 'executing, approved';
  return state === waitingForApproval ? { text: state, tone: 'doubtful' as const } : state;
}

function evictedText({ evicted, victims, notified }: Run): string {
  if (victims === 0) return '-';
  return notified > 0 ? `${evicted} of ${victims}, ${notified} notified` : `${evicted} of ${victims}`;
}

/** Completed; completed in part, or cancelled; not done. */
export function outcomeTone(outcome: string | null): Tone {
  if (outcome === null) return 'plain';
  if (['satisfied', 'not-needed', 'within-quota', 'observed', 'notified'].includes(outcome)) return 'good';
  return ['impossible', 'failed', 'lease-ended', 'fenced'].includes(outcome) ? 'bad' : 'doubtful';
}

/** What runs chose of an application or a user: what owners look for whose work is gone. docs/reference/cli.md */
export const victims: ResourceKind<FoundVictim> = {
  kind: 'victim',
  plural: 'victims',
  list: listedAt('/v1/victims', 'partition', 'user', 'application', 'limit'),
  needsOneOf: ['user', 'application'],
  dated: false,
  nameOf: ({ allocation }) => allocation,
  columns: [
    { title: 'CHANGED', holds: 'times', cell: ({ at }, now) => agoText(at, now) },
    { title: 'AT', wide: true, cell: ({ at }) => clockText(at) },
    { title: 'ALLOCATION', holds: 'ids', cell: ({ allocation }) => allocation },
    { title: 'APPLICATION', holds: 'paths', cell: ({ application }) => application },
    { title: 'USER', holds: 'paths', cell: ({ owner }) => owner ?? '-' },
    { title: 'QUEUE', holds: 'paths', cell: ({ queue }) => queue },
    { title: 'STATE', cell: ({ state }) => state },
    { title: 'ENFORCEMENT', holds: 'ids', cell: ({ enforcement }) => enforcement },
    { title: 'WHY', wraps: 'words', under: true, cell: ({ reason }) => withClockTimes(reason) },
  ],
  empty: 'no victims',
  next: ([first], place) =>
    first && `see the rules and the numbers of one: curtail explain allocation ${first.allocation}${place}`,
};
