import type { Facts, Spared } from '#contracts';
import { shortReason as inWords, legendOfRule, sparedSentence } from '#planning/words';
import type { Invocation } from '../invocation/invocation.js';
import { tableLines } from './table.js';
import { clockText, withClockTimes } from './time.js';
import { hanging } from './width.js';

/** A victim of a plan or a run, as the API gives it. */
interface Decided {
  reason: string;
  rule?: string | null;
  facts?: Facts | null;
}

/**
 * The reason of a victim for a table that already shows queue and amounts: its number, the values that the rules compare, and the
 * deciding rule. Where these were not recorded, the whole sentence.
 */
export function shownReason({ reason, rule, facts }: Decided): string {
  const short = rule && facts ? inWords(rule, facts, clockText) : undefined;
  return short ?? withClockTimes(reason);
}

/** What the numbers of rules in the reasons of victims mean; nothing where no rule has one, or none was recorded. */
export function legendLines(
  victims: readonly { rule?: string | null | undefined }[],
  { width, style }: Pick<Invocation, 'width' | 'style'>,
): string[] {
  const legends = victims.map(({ rule }) => (rule ? legendOfRule(rule) : undefined));
  const legend = legends.find((each) => each !== undefined);
  return legend === undefined ? [] : hanging(legend, width).map((line) => style('faint', line));
}

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
