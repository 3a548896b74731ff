import type { Spared } from '#contracts';
import { sparedSentence } from '#planning/words';
import type { Invocation } from '../invocation/invocation.js';
import { tableLines } from './table.js';

/** One row per reason, with the number of allocations and the first of them; with `wide` all. */
export function sparedByReason(spared: readonly Spared[], invocation: Invocation): string[] {
  const groups = new Map<string, string[]>();
  for (const { allocation, reason } of spared) {
    const names = groups.get(reason) ?? [];
    groups.set(reason, names);
    names.push(allocation);
  }
  const named = invocation.format === 'wide' ? Number.POSITIVE_INFINITY : 3;
  return sparedGroups(
    [...groups].map(([reason, names]) => ({ reason, count: names.length, first: names.slice(0, named) })),
    invocation,
  );
}

/** Same, where only the first of each reason are known. */
export function sparedGroups(
  groups: readonly { reason: string; count: number; first: readonly string[] }[],
  { style, width }: Invocation,
): string[] {
  const rows = groups.map(({ reason, count, first }) => [
    String(count),
    sparedSentence(reason),
    count === first.length ? first.join(', ') : `${first.join(', ')}, …`,
  ]);
  const columns = [
    { title: 'COUNT', align: 'right' as const },
    { title: 'WHY', wraps: 'words' as const },
    { title: 'ALLOCATIONS', wraps: 'items' as const },
  ];
  return rows.length === 0 ? [] : tableLines(columns, rows, { width, style });
}
