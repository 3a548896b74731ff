import { counted, type DomainEvent, type EventData, ofApplication } from '#contracts';
import {
  type CalledOff,
  type Foreseen,
  type Foresight,
  nothingForeseen,
  type PlannedOwner,
} from './state.js';

/** At most so many applications are notified of one run; of others only their number is known. */
export const mostNotified = 100;
/** At most so many allocations are named to one of them. */
export const mostNamed = 20;

type Change = EventData<'VictimForeseen'>['changes'][number];

/** The plan that would be made if the clock were due now. */
export interface ForesightCheck {
  enforcement: string;
  dueAt: string;
  /** RFC 3339: the time of the view of the cluster. */
  checkedAt: string;
  /** By the rank of their first victim. */
  owners: readonly PlannedOwner[];
  needsApproval: boolean;
  /** The queue is above its quota. */
  isAbove: boolean;
  /** The applications that have allocations. */
  present: ReadonlySet<string>;
  /** The applications whose victims would be spared, since a stop covers their queue. */
  stopped: ReadonlySet<string>;
}

export interface ForesightDecision {
  events: DomainEvent<'VictimForeseen' | 'ForesightWithdrawn'>[];
  /** What the owners know after them: what the events fold to, with the present counts of checks. */
  after: Foresight;
  /** Applications that would lose allocations and are not notified. */
  more: number;
}

interface Place {
  partition: string;
  queue: string;
}

/**
 * Compares a plan with what owners know. An event is made for an application that is new, or whose allocations, due time, deciding rule
 * or need for an approval differ, and for one that is no longer among the victims. A check that finds the same makes none.
 */
export function decideForesight(place: Place, known: Foresight, check: ForesightCheck): ForesightDecision {
  const before: Foresight =
    known.enforcement === undefined || known.enforcement === check.enforcement ? known : nothingForeseen;
  const chosen = chosenOf(before, check.owners);
  const more = check.owners.length - chosen.length;
  const after = new Map<string, Foreseen>();
  const foreseen: ForesightDecision['events'] = [];
  for (const owner of chosen) {
    const last = before.owners.get(owner.application);
    const now: Foreseen = {
      ...owner,
      dueAt: check.dueAt,
      since: last?.since ?? check.checkedAt,
      checks: (last?.checks ?? 0) + 1,
      needsApproval: check.needsApproval,
    };
    after.set(owner.application, now);
    const changes = changesOf(last, now);
    if (changes.length === 0) continue;
    foreseen.push(foreseenEvent(place, now, changes, check, { notified: chosen.length, more }));
  }
  const gone = [...before.owners.values()].filter(({ application }) => !after.has(application));
  const withdrawn = gone.map((owner) =>
    withdrawnEvent(place, check.enforcement, owner, whyNoLonger(place, owner, check)),
  );
  const state = after.size === 0 ? nothingForeseen : { enforcement: check.enforcement, owners: after };
  return { events: [...withdrawn, ...foreseen], after: state, more };
}

/** Withdraws everything, for one reason. */
export function callOff(
  place: Place,
  { enforcement, owners }: Foresight,
  why: CalledOff,
): ForesightDecision['events'] {
  if (enforcement === undefined) return [];
  return [...owners.values()].map((owner) => withdrawnEvent(place, enforcement, owner, why));
}

/** Whoever was notified stays so as long as it is a victim; the others follow by rank, up to the limit. */
function chosenOf({ owners }: Foresight, planned: readonly PlannedOwner[]): readonly PlannedOwner[] {
  if (planned.length <= mostNotified) return planned;
  const isKnown = ({ application }: PlannedOwner) => owners.has(application);
  const others = planned.filter((owner) => !isKnown(owner));
  return [...planned.filter(isKnown), ...others].slice(0, mostNotified);
}

function changesOf(last: Foreseen | undefined, now: Foreseen): Change[] {
  if (!last) return ['new'];
  const changes: Change[] = [];
  if (last.digest !== now.digest) changes.push('allocations');
  if (last.dueAt !== now.dueAt) changes.push('due');
  if (last.rule !== now.rule) changes.push('reason');
  if (last.needsApproval !== now.needsApproval) changes.push('approval');
  return changes;
}

function foreseenEvent(
  { partition, queue }: Place,
  foreseen: Foreseen,
  changes: Change[],
  { enforcement, checkedAt }: ForesightCheck,
  counts: { notified: number; more: number },
): DomainEvent<'VictimForeseen'> {
  const { application, user, victims, allocations, dueAt, facts, needsApproval, ...others } = foreseen;
  const approval = needsApproval ? ' It would wait for an approval first.' : '';
  return {
    name: 'VictimForeseen',
    data: {
      partition,
      queue,
      enforcement,
      application,
      ...(user !== undefined && { user }),
      changes,
      dueAt,
      victims,
      allocations: [...allocations],
      ...others,
      ...(facts && { facts: { ...facts } }),
      needsApproval,
      checkedAt,
      ...counts,
      code: 'foreseen',
      message: `If ${queue} were enforced now, ${counted(victims, 'allocation')} of ${nameOf(foreseen)} would be evicted: ${named(foreseen)}. Its run is due at ${dueAt}.${approval}`,
      about: ofApplication(application),
    },
  };
}

function withdrawnEvent(
  { partition, queue }: Place,
  enforcement: string,
  owner: Foreseen,
  { code, message }: CalledOff,
): DomainEvent<'ForesightWithdrawn'> {
  const { application, user, dueAt } = owner;
  return {
    name: 'ForesightWithdrawn',
    data: {
      partition,
      queue,
      enforcement,
      application,
      ...(user !== undefined && { user }),
      dueAt,
      code,
      message: `No eviction is foreseen any more for ${nameOf(owner)}: ${message}`,
      about: ofApplication(application),
    },
  };
}

function whyNoLonger({ queue }: Place, { application }: Foreseen, check: ForesightCheck): CalledOff {
  if (!check.present.has(application)) {
    return { code: 'work-ended', message: 'it has no allocations any more.' };
  }
  if (check.stopped.has(application)) {
    return { code: 'stopped', message: 'an operator stopped evictions in its queue.' };
  }
  if (check.owners.length > 0) {
    return { code: 'other-victims', message: `${queue} would now take other allocations instead.` };
  }
  if (!check.isAbove) {
    return { code: 'usage-fell', message: `${queue} is within its quota.` };
  }
  return { code: 'no-victims', message: `${queue} is above its quota, but no allocation may be evicted.` };
}

const nameOf = ({ application, user }: Pick<Foreseen, 'application' | 'user'>) =>
  user === undefined ? application : `${application} (user ${user})`;

const inSentence = 3;
function named({ allocations, victims }: Foreseen): string {
  const first = allocations.slice(0, inSentence);
  const more = victims - first.length;
  return `${first.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
