import type { ApplicationWork, EnforcementExplanation, Victim } from '#api-client';
import { counted, firstOf } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { amountsText } from '../output/amounts.js';
import { shownReason } from '../output/reason.js';
import { tableLines } from '../output/table.js';
import { hanging } from '../output/width.js';
import { shownPolicy } from '../resources/plans.js';
import { printable } from '../terminal/printable.js';

/** Printed reasons, and victims of each; `curtail explain` has all. */
const mostShown = 3;

/** Applications with their usage and pending requests, while nothing is leaving. */
export function applicationLines(
  applications: readonly ApplicationWork[],
  { style, width }: Invocation,
): string[] {
  const number = { align: 'right' as const };
  // For fair-share, weights matter and priorities do not.
  const isWeighed = applications.some(({ weight }) => weight !== null);
  return tableLines(
    [
      { title: 'APPLICATION', holds: 'paths' as const },
      { title: 'QUEUE', holds: 'paths' as const },
      { title: 'USER', holds: 'paths' },
      { title: isWeighed ? 'WEIGHT' : 'PRIORITY', ...number },
      { title: 'RUNNING', ...number },
      { title: 'WAITING', ...number },
      { title: 'USED', wraps: 'items' },
    ],
    applications.map(({ application, queue, user, priority, weight, running, waiting, usage }) => [
      application,
      queue,
      user ?? '-',
      String(isWeighed ? (weight ?? 1) : priority),
      String(running),
      String(waiting),
      amountsText(usage),
    ]),
    { style, width },
  );
}

/** The effects of a round or a run, with the first allocations concerned and why. */
export function roundLines(
  { enforcement, plan, victims }: EnforcementExplanation,
  invocation: Invocation,
): string[] {
  const { style, width } = invocation;
  const { noVictims } = shownPolicy(enforcement.policy);
  const some = (what: string, those: readonly Victim[]) => groupLines(what, those, width);
  const target =
    plan && Object.keys(plan.target).length > 0 ? `: ${amountsText(plan.target)} to be freed` : '';
  const of = (state: string) => victims.filter((victim) => victim.state === state);
  return [
    style(
      'title',
      `${enforcement.round === null ? `RUN of ${enforcement.queue}` : `ROUND ${enforcement.round}`}${target}`,
    ),
    ...some('The owners are notified of', of('notified')),
    ...some('Notified earlier and waiting:', of('waiting')),
    ...some('Evicted:', of('evicted')),
    ...some('Released by their owners:', of('gone')),
    ...some('Spared:', of('spared')),
    ...groupLines('Not evicted:', of('failed'), width, ({ message, reason }) => message ?? reason),
    ...(victims.length === 0 && noVictims !== undefined ? hanging(noVictims, width) : []),
    style('faint', invocation.hint(`curtail explain enforcement ${enforcement.enforcement}`)),
  ];
}

function groupLines(what: string, victims: readonly Victim[], width: number, why = whyAlike): string[] {
  if (victims.length === 0) return [];
  const byReason = byReasonOf(victims, why);
  const first = [...byReason].slice(0, mostShown);
  const more = victims.length - first.reduce((sum, [, alike]) => sum + alike.length, 0);
  return [
    `${what} ${counted(victims.length, 'allocation')}`,
    ...first.flatMap(([reason, alike]) => [
      ...hanging(names(alike), width, '  '),
      ...hanging(printable(reason), width, '    '),
    ]),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

/** Without the time of its start, which distinguishes victims with the same reason. */
function whyAlike({ facts, ...victim }: Victim): string {
  const { startedAt: _, ...alike } = facts ?? {};
  return shownReason({ ...victim, facts: facts && alike });
}

function byReasonOf(victims: readonly Victim[], why: (victim: Victim) => string): Map<string, Victim[]> {
  const found = new Map<string, Victim[]>();
  for (const victim of victims) {
    const reason = why(victim);
    found.set(reason, [...(found.get(reason) ?? []), victim]);
  }
  return found;
}

function names(victims: readonly Victim[]): string {
  const allocations = victims.map(({ allocation }) => allocation);
  return printable(firstOf(allocations, mostShown));
}

/** Commands that show the results of a scenario in its partition, by the policy whose rounds ran. */
export function followUpCommands(partition: string, policy: string | undefined): string[] {
  return [...shownPolicy(policy).kinds, 'enforcements'].map(
    (noun) => `  curtail get ${noun} --partition ${partition}`,
  );
}
