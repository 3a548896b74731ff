import type { Plan } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { amountsText } from './amounts.js';
import { tableLines } from './table.js';

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
export function applicationLines({ shares }: Plan, invocation: Invocation): string[] {
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
