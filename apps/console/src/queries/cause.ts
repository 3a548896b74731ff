import type { EventName } from '#contracts/events';

/** An event of the log, as far as causes need it. */
export interface Happened {
  name: string;
  stream: string;
  queue: string;
  data: unknown;
}

/** What an event and its cause have in common: the stream, the queue, the run, or the run and the allocation. */
export type Bond = 'stream' | 'queue' | 'run' | 'victim';

export interface RuleOfCause {
  bond: Bond;
  /** The latest of these before the event is its cause. */
  of: readonly EventName[];
}

const clockSet: readonly EventName[] = ['EnforcementScheduled', 'EnforcementRescheduled'];
const outcomes: readonly EventName[] = [
  ...(['VictimEvicted', 'VictimRefused', 'VictimGone', 'VictimSpared', 'VictimFailed'] as const),
];

/** By the `cause` that an event of a clock states; for another cause there is no event. */
const ofClocks: Readonly<Record<string, RuleOfCause>> = {
  'quota-lowered': { bond: 'queue', of: ['QuotaChanged'] },
  'quota-raised': { bond: 'queue', of: ['QuotaChanged'] },
  'delay-changed': { bond: 'queue', of: ['QuotaChanged'] },
  'delay-zero': { bond: 'queue', of: ['QuotaChanged'] },
  'max-removed': { bond: 'queue', of: ['QuotaChanged'] },
  'queue-removed': { bond: 'queue', of: ['QueueRemoved'] },
  requested: { bond: 'queue', of: ['EnforcementRequested'] },
  operator: { bond: 'run', of: ['CancelRequested'] },
  'after-run': { bond: 'queue', of: ['EnforcementReleased'] },
  'lease-ended': { bond: 'queue', of: ['EnforcementReleased'] },
  retry: { bond: 'queue', of: ['EnforcementReleased'] },
};

const others: Readonly<Partial<Record<EventName, RuleOfCause>>> = {
  QuotaChanged: { bond: 'stream', of: ['ConfigApplied'] },
  QueueRemoved: { bond: 'stream', of: ['ConfigApplied'] },
  VictimForeseen: { bond: 'run', of: clockSet },
  EnforcementStarted: { bond: 'run', of: clockSet },
  PlanComputed: { bond: 'run', of: ['EnforcementStarted', 'RoundStarted'] },
  PlanFailed: { bond: 'run', of: ['EnforcementStarted', 'RoundStarted'] },
  EnforcementOpened: { bond: 'run', of: ['PlanComputed'] },
  EnforcementHeld: { bond: 'run', of: ['EnforcementOpened'] },
  PlanApproved: { bond: 'run', of: ['EnforcementOpened', 'EnforcementHeld'] },
  PlanRejected: { bond: 'run', of: ['EnforcementOpened', 'EnforcementHeld'] },
  VictimNotified: { bond: 'run', of: ['EnforcementOpened', 'PlanApproved'] },
  VictimOrdered: { bond: 'run', of: ['EnforcementOpened', 'PlanApproved'] },
  VictimEvicted: { bond: 'victim', of: ['VictimOrdered'] },
  VictimRefused: { bond: 'victim', of: ['VictimOrdered'] },
  VictimFailed: { bond: 'victim', of: ['VictimOrdered'] },
  EnforcementEnded: {
    bond: 'run',
    of: [...outcomes, 'PlanComputed', 'PlanFailed', 'PlanRejected', 'CancelRequested', 'EnforcementOpened'],
  },
  EnforcementReleased: { bond: 'run', of: ['EnforcementEnded'] },
};

/** How the cause of an event is found; undefined: no event of the log causes it. */
export function ruleOf({ name, data }: Pick<Happened, 'name' | 'data'>): RuleOfCause | undefined {
  if (name === 'EnforcementScheduled' || name === 'EnforcementRescheduled' || name === 'EnforcementCancelled')
    return ofClocks[String(field(data, 'cause'))];
  return others[name as EventName];
}

/** The names of events that this one may cause, and of those that may take its place. */
export function namesAfter(name: string): EventName[] {
  const found = new Set<EventName>();
  for (const [effect, rule] of allRules()) {
    if (!rule.of.includes(name as EventName)) continue;
    for (const each of [effect, ...rule.of]) found.add(each);
  }
  return [...found];
}

/** The widest bond that its effects have with an event: all of them share at least that. */
export function bondAfter(name: string): Bond {
  const bonds = new Set<Bond>();
  for (const [, rule] of allRules()) if (rule.of.includes(name as EventName)) bonds.add(rule.bond);
  return (['stream', 'queue', 'run'] as const).find((bond) => bonds.has(bond)) ?? 'victim';
}

function* allRules(): Iterable<[EventName, RuleOfCause]> {
  for (const [name, rule] of Object.entries(others)) yield [name as EventName, rule];
  for (const rule of Object.values(ofClocks))
    for (const name of [...clockSet, 'EnforcementCancelled'] as const) yield [name, rule];
}

/** @param following events, in the order of the log. @returns those of them that the event caused. */
export function effectsOf<E extends Happened>(event: Happened, following: readonly E[]): E[] {
  const between: E[] = [];
  return following.filter((one) => {
    const rule = ruleOf(one);
    const isCause = (other: Happened) =>
      rule?.of.includes(other.name as EventName) === true && areBound(rule.bond, other, one);
    const isEffect = isCause(event) && !between.some(isCause);
    between.push(one);
    return isEffect;
  });
}

export function areBound(bond: Bond, a: Happened, b: Happened): boolean {
  const share = (name: string) => {
    const value = field(a.data, name);
    return value !== undefined && value === field(b.data, name);
  };
  if (bond === 'stream') return a.stream === b.stream;
  if (bond === 'queue') return a.queue === b.queue;
  return share('enforcement') && (bond === 'run' || share('allocation'));
}

const field = (data: unknown, name: string): unknown => (data as Record<string, unknown> | null)?.[name];
