import { counted, type Outcome, type Plan } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import type { Tone } from '../terminal/printable.js';
import { amountsText, shownAmount } from './amounts.js';
import { elementStatusLines, reasonLines, startLines } from './element-lines.js';
import { shownReason } from './reason.js';
import { section, tableLines } from './table.js';
import { applicationShareLines, userLines } from './victim-lines.js';

const tones: Record<Outcome, Tone> = {
  'not-needed': 'good',
  satisfied: 'good',
  'best-effort': 'doubtful',
  impossible: 'bad',
  skipped: 'doubtful',
};

export interface PlanLayout {
  /** The reason of each victim, shown even in narrow terminals. */
  reasons?: boolean;
}

/** Victims that a table lists; JSON has all. */
const mostListed = 1000;

/** A plan for people: target, shares, victims, spared allocations if requested, notices. */
export function planLines(plan: Plan, invocation: Invocation, layout: PlanLayout = {}): string[] {
  const { style } = invocation;
  const count = plan.victims.length;
  const head = `${plan.queue ?? 'all queues'}: ${style(tones[plan.outcome], plan.outcome)}, ${counted(count, 'victim')}${plan.observeOnly && count > 0 ? ', only observed: nothing would be evicted' : ''}`;
  return [
    head,
    ...targetLines(plan, invocation),
    ...section('SHARES', shareLines(plan, invocation), invocation),
    ...section('USERS', userLines(plan, invocation), invocation),
    ...section('APPLICATIONS', applicationShareLines(plan, invocation), invocation),
    ...section('REASONS', reasonLines(plan, invocation), invocation),
    ...section('STATUSES', elementStatusLines(plan, invocation), invocation),
    ...section('STARTS', startLines(plan, invocation), invocation),
    ...section('VICTIMS', victimLines(plan, invocation, layout), invocation),
    ...section('SPARED', sparedLines(plan, invocation), invocation),
    ...section('NOTICES', noticeLines(plan, invocation), invocation),
  ];
}

export function targetLines(plan: Plan, invocation: Invocation): string[] {
  const { target, inFlight, claimed, shortfall, overshoot, collateral } = plan;
  const all = [target, inFlight, claimed, shortfall, overshoot, collateral];
  const types = [...new Set(all.flatMap((amounts) => Object.keys(amounts)))].sort();
  if (types.length === 0) return [];
  const titles = ['TARGET', 'IN FLIGHT', 'CLAIMED', 'SHORTFALL', 'OVERSHOOT', 'COLLATERAL'];
  // Empty sections are left out. A plan with reasons to act has no target: the reasons name those that starve.
  const shown = all
    .map((amounts, index) => ({ title: titles[index] ?? '', amounts }))
    .filter(
      ({ title, amounts }) =>
        Object.values(amounts).some((amount) => amount !== 0) ||
        (title === 'TARGET' && plan.reasons === undefined),
    );
  const columns = [
    { title: 'TYPE', holds: 'ids' as const },
    ...shown.map(({ title }) => ({ title, wraps: 'items' as const })),
  ];
  const rows = types.map((type) => [
    type,
    ...shown.map(({ amounts }) =>
      Object.hasOwn(amounts, type) ? shownAmount(type, amounts[type] ?? 0) : '-',
    ),
  ]);
  return ['', ...tableLines(columns, rows, invocation)];
}

export function shareLines({ shares }: Plan, invocation: Invocation): string[] {
  if (shares.length === 0) return [];
  const columns = [
    { title: 'QUEUE', holds: 'paths' as const },
    ...['RELEASABLE', 'TARGET', 'CLAIMED'].map((title) => ({ title, wraps: 'items' as const })),
  ];
  const rows = shares.map(({ queue, releasable, target, claimed }) => [
    queue,
    ...[releasable, target, claimed].map(amountsText),
  ]);
  return tableLines(columns, rows, invocation);
}

function victimLines(
  { victims, spared, queue: planned }: Plan,
  invocation: Invocation,
  { reasons: always = false }: PlanLayout,
): string[] {
  if (victims.length === 0) return [];
  const wide = invocation.format === 'wide';
  // Where the reasons have room, the queue of the plan needs no column.
  const queues = wide || !always || victims.some(({ queue }) => queue !== planned);
  const reasons = wide || always || spared !== undefined;
  const columns = [
    { title: 'RANK', align: 'right' as const },
    { title: 'ALLOCATION', holds: 'ids' as const },
    { title: 'APPLICATION', holds: 'paths' as const },
    ...(queues ? [{ title: 'QUEUE', holds: 'paths' as const }] : []),
    { title: 'RESOURCES', wraps: 'items' as const },
    ...(wide
      ? [
          { title: 'NODE', holds: 'paths' as const },
          { title: 'UID', holds: 'ids' as const },
        ]
      : []),
    ...(reasons ? [{ title: 'REASON', wraps: 'words' as const, under: true }] : []),
  ];
  const rows = victims.slice(0, mostListed).map((victim) => {
    const { rank, allocation, application, queue, resources, node, uid } = victim;
    return [
      String(rank),
      allocation,
      application,
      ...(queues ? [queue] : []),
      amountsText(resources),
      ...(wide ? [node ?? '-', uid ?? '-'] : []),
      ...(reasons ? [always && !wide ? shownReason(victim) : victim.reason] : []),
    ];
  });
  const more = victims.length - rows.length;
  return [
    ...tableLines(columns, rows, invocation),
    ...(more > 0 ? [`… and ${more} more: -o json has them all`] : []),
  ];
}

function sparedLines({ spared = [] }: Plan, invocation: Invocation): string[] {
  if (spared.length === 0) return [];
  const rows = spared.map(({ allocation, reason, message }) => [
    allocation,
    message === undefined ? reason : `${reason}: ${message}`,
  ]);
  return tableLines(
    [
      { title: 'ALLOCATION', holds: 'ids' as const },
      { title: 'REASON', wraps: 'words' },
    ],
    rows,
    invocation,
  );
}

export function noticeLines({ notices }: Plan, invocation: Invocation): string[] {
  if (notices.length === 0) return [];
  const rows = notices.map(({ code, message }) => [code, message]);
  return tableLines(
    [
      { title: 'CODE', holds: 'ids' },
      { title: 'MESSAGE', wraps: 'words' },
    ],
    rows,
    invocation,
  );
}
