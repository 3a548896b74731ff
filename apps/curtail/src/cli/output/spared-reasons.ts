import type { Spared, SparedReason } from '@curtail/contracts';
import type { Invocation } from '../invocation.js';
import { tableLines } from './table.js';

/** Why an allocation stays, in words that need no manual. docs/reference/snapshot.md, "Plan" */
const sentences: Record<SparedReason, string> = {
  daemon: 'a daemon, which belongs to its node and is never evicted',
  'not-running': 'not running: it is leaving already',
  'other-types': 'holds nothing of what had to be freed',
  protected: 'protected by the settings',
  enforcing: 'stands in a queue that had a run of its own',
  'guaranteed-floor': 'without it a queue would fall below what it is guaranteed',
  'past-target': 'would have freed more than was wanted',
  'given-back': 'was chosen at first and given back: the others were enough',
  'not-needed': 'was not needed: enough others came before it',
};

export function sparedSentence(reason: string): string {
  return (sentences as Record<string, string>)[reason] ?? reason;
}

/** One row a reason, with how many and the first of them; with `wide` all of them. */
export function sparedByReason(spared: readonly Spared[], { format, style, width }: Invocation): string[] {
  const groups = new Map<string, string[]>();
  for (const { allocation, reason } of spared) {
    groups.set(reason, [...(groups.get(reason) ?? []), allocation]);
  }
  const rows = [...groups].map(([reason, names]) => [
    String(names.length),
    sparedSentence(reason),
    format === 'wide' || names.length <= 3 ? names.join(', ') : `${names.slice(0, 3).join(', ')}, …`,
  ]);
  const columns = [
    { title: 'COUNT', align: 'right' as const },
    { title: 'WHY', wraps: true },
    { title: 'ALLOCATIONS', wraps: true },
  ];
  return rows.length === 0 ? [] : tableLines(columns, rows, { width, style });
}
