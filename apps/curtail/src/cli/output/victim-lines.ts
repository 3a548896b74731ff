import type { Victim } from '#api-client';
import type { Plan } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import type { Tone } from '../terminal/printable.js';
import { amountsText } from './amounts.js';
import { shownReason } from './reason.js';
import { tableLines } from './table.js';

const tones: Record<string, Tone> = {
  evicted: 'good',
  ordered: 'doubtful',
  notified: 'doubtful',
  waiting: 'doubtful',
  refused: 'doubtful',
  failed: 'bad',
};

/** Victims of a run in the order of eviction, each with its state and reason. */
export function victimLines(victims: readonly Victim[], { format, style, width }: Invocation): string[] {
  const wide = format === 'wide';
  // Most runs take from a single queue, which is printed above.
  const queues = wide || victims.some(({ queue }) => queue !== victims[0]?.queue);
  const columns = [
    { title: 'RANK', align: 'right' as const },
    { title: 'ALLOCATION', holds: 'ids' as const },
    { title: 'APPLICATION', holds: 'paths' as const },
    ...(queues ? [{ title: 'QUEUE', holds: 'paths' as const }] : []),
    { title: 'RESOURCES', wraps: 'items' as const },
    ...(wide ? [{ title: 'UID', holds: 'ids' as const }] : []),
    { title: 'STATE', wraps: 'words' as const },
    { title: 'WHY', wraps: 'words' as const, under: true },
  ];
  const rows = victims.map((victim) => {
    const { rank, allocation, application, queue, resources, uid, state, code, message } = victim;
    return [
      String(rank),
      allocation,
      application,
      ...(queues ? [queue] : []),
      amountsText(resources),
      ...(wide ? [uid ?? '-'] : []),
      {
        text: message && state !== 'evicted' && code !== 'observe' ? `${state}: ${message}` : state,
        tone: tones[state] ?? 'plain',
      },
      wide ? victim.reason : shownReason(victim),
    ];
  });
  return tableLines(columns, rows, { style, width });
}

/** The users of each queue in an explained plan that names any. */
export function userLines({ shares }: Plan, invocation: Invocation): string[] {
  const rows = shares.flatMap(({ queue, users = [] }) =>
    users.map(({ user, used, limit }) => [queue, user, amountsText(used), amountsText(limit)]),
  );
  const columns = [
    { title: 'QUEUE', holds: 'paths' as const },
    { title: 'USER', holds: 'paths' as const },
    { title: 'USED', wraps: 'items' as const },
    { title: 'LIMIT', wraps: 'items' as const },
  ];
  return rows.length === 0 ? [] : tableLines(columns, rows, invocation);
}

/** The applications, the most entitled of each queue first. */
export function applicationShareLines({ shares }: Plan, invocation: Invocation): string[] {
  const rows = shares.flatMap(({ queue, applications = [] }) =>
    applications.map(({ application, used, pending, ideal, need, offer, give }) => [
      queue,
      application,
      ...[used, pending, ideal, need, offer, give].map(amountsText),
    ]),
  );
  const titles = ['QUEUE', 'APPLICATION', 'USED', 'PENDING', 'IDEAL', 'NEED', 'OFFER', 'GIVE'];
  return rows.length === 0
    ? []
    : tableLines(
        titles.map((title) => ({ title, wraps: 'items' as const })),
        rows,
        invocation,
      );
}
