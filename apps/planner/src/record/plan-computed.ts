import {
  type ClusterSnapshot,
  type DomainEvent,
  type EventData,
  type Limit,
  type Notice,
  type Owners,
  ofQueue,
  type Plan,
  totalOfAllocations,
} from '#contracts';
import { tooLarge } from '#enforcement';
import { digestOfPlan, type PackedSnapshot, packAhead, packSnapshot } from '#event-store';

type Computed = EventData<'PlanComputed'>;

/** A plan, what it was made from, and how it is recorded. */
interface MadePlan extends Pick<Computed, 'snapshotDigest' | 'rules' | 'owners' | 'mode' | 'planSeconds'> {
  snapshot: ClusterSnapshot;
  plan: Plan;
  trigger: { policy: string };
  settings: object;
  /** The limit that the run enforces. */
  limit: Limit;
  /** The queues whose own allocations measure the size of the plan. */
  isCounted: (queue: string) => boolean;
}

/** The record of a plan of any policy; recomputing it from the snapshot, trigger and settings gives the same digest. */
export function planComputedEvent(
  {
    partition,
    queue,
    enforcement,
    fencingToken,
    configuration,
  }: Pick<Computed, 'partition' | 'queue' | 'enforcement' | 'fencingToken' | 'configuration'>,
  {
    snapshot,
    snapshotDigest,
    plan,
    trigger,
    settings,
    rules = [],
    owners,
    mode,
    limit,
    isCounted,
    planSeconds,
  }: MadePlan,
): DomainEvent<'PlanComputed'> {
  const counted = snapshot.allocations.filter(({ queue: of }) => isCounted(of));
  return {
    name: 'PlanComputed',
    data: {
      partition,
      queue,
      enforcement,
      fencingToken,
      ...(configuration !== undefined && { configuration }),
      snapshotDigest,
      trigger: { ...trigger },
      settings: { ...settings },
      planDigest: digestOfPlan(plan),
      plan,
      ...(rules.length > 0 ? { rules } : {}),
      ...(owners ? { owners } : {}),
      takenAt: snapshot.takenAt,
      mode,
      ...limit,
      queueAllocations: counted.length,
      queueUsage: totalOfAllocations(counted),
      planSeconds,
    },
  };
}

/** The users of the victims' applications, each with its applications; undefined if none is known. */
export function ownersOf({ applications }: ClusterSnapshot, { victims }: Plan): Owners | undefined {
  const chosen = new Set(victims.map(({ application }) => application));
  const byUser = new Map<string, string[]>();
  for (const { id, user } of applications) {
    if (user === undefined || !chosen.has(id)) continue;
    const own = byUser.get(user);
    if (own === undefined) byUser.set(user, [id]);
    else own.push(id);
  }
  if (byUser.size === 0) return undefined;
  return [...byUser].map(([user, own]) => ({ user, applications: own }));
}

interface Parts {
  event: DomainEvent<'PlanComputed' | 'PlanFailed'>;
  snapshot?: PackedSnapshot;
}

/**
 * What is recorded of a plan: its event, and the snapshot that it was made from, packed. For a large snapshot that takes as long as planning,
 * and it is made when it is asked for: while the database stores the victims.
 */
export class PlanRecord {
  private making: Promise<Parts> | undefined;

  private constructor(private make: (() => Promise<Parts>) | undefined) {}

  /** @param options.later it is made when it is asked for, not at once. */
  static of(
    run: Parameters<typeof planComputedEvent>[0],
    made: Omit<MadePlan, 'snapshotDigest'>,
    { later }: { later: boolean },
  ): PlanRecord {
    const record = new PlanRecord(async () => {
      // Other threads compress the plan while this one writes the snapshot.
      packAhead(made.plan);
      const snapshot = await packSnapshot(made.snapshot);
      return { snapshot, event: planComputedEvent(run, { ...made, snapshotDigest: snapshot.digest }) };
    });
    // Its caller gets the error. If the rest of the batch fails, there is no caller.
    if (!later) record.made().catch(() => {});
    return record;
  }

  static ofFailure(event: DomainEvent<'PlanFailed'>): PlanRecord {
    return new PlanRecord(async () => ({ event }));
  }

  /** The same at each call. What it is made from may be collected from the first one on. */
  made(): Promise<Parts> {
    this.making ??= this.make!();
    this.make = undefined;
    return this.making;
  }
}

/**
 * The record of a plan that could not be made.
 *
 * @param afterMs since the planner began; absent for a plan that was given up, or is too large however long it takes.
 */
export function planFailedEvent(
  { partition, queue, enforcement, fencingToken, failures }: EventData<'EnforcementStarted'>,
  { code, message }: Pick<Notice, 'code' | 'message'>,
  afterMs?: number,
): DomainEvent<'PlanFailed'> {
  const why = {
    code,
    message: afterMs === undefined || code === tooLarge ? message : `After ${afterMs} ms: ${message}`,
    about: ofQueue(queue),
  };
  const attempt = (failures?.count ?? 0) + 1;
  return { name: 'PlanFailed', data: { partition, queue, enforcement, fencingToken, ...why, attempt } };
}
