import type { Foreseen, FoundVictim } from '#api-client';
import { counted } from '#contracts';
import { shortReason } from '#planning/words';
import type { Invocation } from '../invocation/invocation.js';
import { tableLines } from '../output/table.js';
import { agoText, clockText, dueText, withClockTimes, zoneLines } from '../output/time.js';

/** What runs did, and are to do, with the work of an application or a user. */
export interface OwnerExplanation {
  partition: string;
  application?: string;
  user?: string;
  /** What runs that are to start would evict. */
  foreseen: Foreseen[];
  /** What runs chose, the latest first. */
  victims: FoundVictim[];
}

/** What is ahead, then what was: each with its reason. */
export function ownerLines(why: OwnerExplanation, invocation: Invocation, now: number): string[] {
  const { partition, application, user, foreseen, victims } = why;
  const whose = application === undefined ? `user ${user}` : `application ${application}`;
  const head = `${whose}, partition ${partition}:`;
  const lines = [...foreseenLines(foreseen, invocation, now), ...chosenLines(victims, invocation, now)];
  if (lines.length === 0) {
    return [
      `${head} no run has chosen any of its allocations, and no later run is known to. Curtail has evicted nothing of it, ` +
        'as far back as runs are kept.',
    ];
  }
  return [head, ...lines, ...zoneLines(lines, invocation)];
}

function foreseenLines(foreseen: readonly Foreseen[], invocation: Invocation, now: number): string[] {
  if (foreseen.length === 0) return [];
  const columns = [
    { title: 'DUE', holds: 'times' as const },
    { title: 'ENFORCEMENT', holds: 'ids' as const },
    { title: 'QUEUE', holds: 'paths' as const },
    { title: 'WOULD BE EVICTED', wraps: 'items' as const },
    { title: 'WHY', wraps: 'words' as const, under: true },
  ];
  const rows = foreseen.map(({ dueAt, enforcement, queue, allocations, victims, rule, facts, reason }) => [
    { text: dueText(dueAt, now), tone: 'doubtful' as const },
    enforcement,
    queue,
    victims > allocations.length
      ? `${allocations.join(', ')}, and ${victims - allocations.length} more`
      : allocations.join(', '),
    shortReason(rule, facts ?? {}, clockText) ?? withClockTimes(reason),
  ]);
  return tableLines(columns, rows, invocation);
}

function chosenLines(victims: readonly FoundVictim[], invocation: Invocation, now: number): string[] {
  if (victims.length === 0) return [];
  const runs = new Set(victims.map(({ enforcement }) => enforcement)).size;
  const evicted = victims.filter(({ state }) => state === 'evicted').length;
  const columns = [
    { title: 'CHANGED', holds: 'times' as const },
    { title: 'ALLOCATION', holds: 'ids' as const },
    { title: 'QUEUE', holds: 'paths' as const },
    { title: 'WHAT' },
    { title: 'ENFORCEMENT', holds: 'ids' as const },
    { title: 'WHY', wraps: 'words' as const, under: true },
  ];
  const rows = victims.map(({ at, allocation, queue, state, enforcement, reason }) => [
    agoText(at, now),
    allocation,
    queue,
    { text: state, tone: state === 'evicted' ? ('plain' as const) : ('doubtful' as const) },
    enforcement,
    withClockTimes(reason),
  ]);
  return [
    `${counted(victims.length, 'allocation was', 'allocations were')} chosen by ${counted(runs, 'run')}; ${evicted} of them evicted.`,
    ...tableLines(columns, rows, invocation),
  ];
}
