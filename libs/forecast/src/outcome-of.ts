import { quantityText } from '#configuration';
import {
  type ClusterSnapshot,
  nodeLabelsField,
  type QuotaValues,
  type Resources,
  type SnapshotAllocation,
  type Victim,
} from '#contracts';
import type {
  AlternativeOutcome,
  ClockPreview,
  PendingPreview,
  Preview,
  QueuePreview,
  RunPreview,
  VictimGroup,
  Wait,
} from '#contracts/api';
import { overBy } from '#enforcement';

/** What a queue uses, and what of it is leaving. */
export interface UsageAgainstQuota {
  usage: Resources;
  inFlight: Resources;
}

const groupsAtMost = 20;
const queuesAtMost = 100;
const hourMs = 3_600_000;

/** The current allocations of a partition, in which victims are found. */
export interface Present {
  /** Milliseconds since 1970, by the clock of the snapshot. */
  takenAt: number;
  allocations: ReadonlyMap<string, SnapshotAllocation>;
  /** By application. */
  users: ReadonlyMap<string, string>;
}

export function presentOf({ takenAt, allocations, applications }: ClusterSnapshot): Present {
  return {
    takenAt: Date.parse(takenAt),
    allocations: new Map(allocations.map((allocation) => [allocation.id, allocation])),
    users: new Map(applications.flatMap(({ id, user }) => (user === undefined ? [] : [[id, user]]))),
  };
}

/**
 * Sums up a preview: who would lose what, what stays above its quota, and which quota would need no victim.
 *
 * @param usage of the changed queues, and of those that would be removed.
 */
export function outcomeOf(
  name: string,
  preview: Preview,
  present: Present,
  usage: ReadonlyMap<string, UsageAgainstQuota>,
): AlternativeOutcome {
  const { changed, removed, rounds, quotaPreemptionEnabled: enabled, nodeLabels } = preview;
  const wasEnabled = preview.previousQuotaPreemptionEnabled;
  const runs = affectedBy(preview);
  const victims = distinct([
    ...runs.flatMap(victimsOf),
    ...rounds.flatMap(({ plan, more }) => {
      const isMore = new Set(more);
      return (plan?.victims ?? []).filter(({ allocation }) => isMore.has(allocation));
    }),
  ]);
  const isVictim = new Set(victims.map(({ allocation }) => allocation));
  const held = new Set(runs.flatMap((run) => run.held ?? []).filter((id) => !isVictim.has(id)));
  const userOf = ({ application }: Victim) => present.users.get(application) ?? '';
  const all = new Group('', present);
  for (const victim of victims) all.add(victim);
  const { victims: count, resources, lost } = all.view();
  return {
    name,
    quotaPreemptionEnabled: enabled,
    ...nodeLabelsField(nodeLabels ?? []),
    switched: wasEnabled === null || wasEnabled === enabled ? null : enabled ? 'on' : 'off',
    changedQuotas: changed.length + removed.length,
    changedGuaranteed: preview.guaranteedChanged.length,
    removed: removed
      .slice(0, queuesAtMost)
      .map(({ queue }) => ({ queue, usage: positive(usage.get(queue)?.usage ?? {}) })),
    moreRemoved: Math.max(0, removed.length - queuesAtMost),
    clocksStart: runs.filter(({ clock }) => clock.effect === 'starts or restarts').length,
    clocksEnd: runs.filter(({ clock }) => clock.effect === 'cancels').length,
    victims: count,
    held: held.size,
    waitsForApproval: runs.filter(({ waitsFor = [] }) => waitsFor.some((wait) => wait.for === 'approval'))
      .length,
    ceiling: preview.ceiling,
    firstDueAt: runs.flatMap(({ dueAt }) => dueAt ?? []).toSorted()[0] ?? null,
    firstEvictionAt: runs.flatMap(evictsBy).toSorted()[0] ?? null,
    resources,
    lost,
    byQueue: grouped(victims, ({ queue }) => queue, present),
    byOwner: grouped(victims, userOf, present),
    byApplication: grouped(victims, ({ application }) => application, present),
    stays: runs.flatMap((run) => staying(run, usage.get(run.queue))).slice(0, queuesAtMost),
    lowest: changed
      .filter(({ plan }) => plan !== undefined && plan.victims.length > 0)
      .slice(0, queuesAtMost)
      .map(({ queue, current }) => lowestWithoutVictims(queue, current.max ?? {}, usage.get(queue))),
    notPlanned: preview.notPlanned,
    warnings: preview.warnings,
  };
}

/** Several runs may plan for one allocation; it is evicted once. */
function distinct(victims: readonly Victim[]): Victim[] {
  return [...new Map(victims.map((victim) => [victim.allocation, victim])).values()];
}

/** Waits that only a person ends, and those in which nothing is evicted. */
const endless = new Set<Wait['for']>(['approval', 'stop', 'switch', 'mode']);

/** When a run begins to evict, if it waits for no person. */
function evictsBy({ plan, held = [], startsAt, waitsFor = [] }: Run): string[] {
  const evicts = (plan?.victims.length ?? 0) > held.length;
  return evicts && startsAt && !waitsFor.some((wait) => endless.has(wait.for)) ? [startsAt] : [];
}

type Run = { queue: string; current: QuotaValues; clock: ClockPreview } & Partial<RunPreview>;

function staying(
  { queue, current, clock, plan, planFault, waitsFor = [] }: Run,
  used: UsageAgainstQuota = unused,
) {
  const above = plan ? positive(plan.shortfall) : overBy(used, current.max ?? {});
  if (Object.keys(above).length === 0) return [];
  const because = plan
    ? plan.notices
        .filter(({ about }) => about.kind === 'queue' && about.name === plan.queue)
        .map(({ message }) => message)
        .join(' ')
    : (planFault ?? waitsFor[0]?.because ?? `No run: ${clock.because}.`);
  return [{ queue, above, because }];
}

const positive = (amounts: Resources): Resources =>
  Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount > 0));

/** The limit plus the usage above it: a clock ends without a run if the usage is within the quota. */
function lowestWithoutVictims(queue: string, max: Resources, used: UsageAgainstQuota = unused) {
  const above = overBy(used, max);
  const lowest = Object.fromEntries(
    Object.entries(max).map(([type, amount]) => [type, amount + (above[type] ?? 0)]),
  );
  const text = Object.fromEntries(
    Object.entries(lowest).map(([type, amount]) => [type, quantityText(type, BigInt(amount))]),
  );
  return { queue, max: lowest, text };
}

const unused: UsageAgainstQuota = { usage: {}, inFlight: {} };

function grouped(victims: readonly Victim[], nameOf: (victim: Victim) => string, present: Present) {
  const groups = new Map<string, Group>();
  for (const victim of victims) {
    const name = nameOf(victim);
    const group = groups.get(name) ?? new Group(name, present);
    groups.set(name, group);
    group.add(victim);
  }
  const items = [...groups.values()].sort(
    (a, b) => b.victims - a.victims || (a.name < b.name ? -1 : Number(a.name > b.name)),
  );
  return {
    items: items.slice(0, groupsAtMost).map((group) => group.view()),
    more: Math.max(0, items.length - groupsAtMost),
  };
}

class Group {
  victims = 0;
  private readonly resources: Record<string, number> = {};
  private readonly lost: Record<string, number> = {};

  constructor(
    readonly name: string,
    private readonly present: Present,
  ) {}

  add({ allocation, resources }: Victim): void {
    this.victims++;
    const hours = this.hoursLost(this.present.allocations.get(allocation));
    for (const [type, amount] of Object.entries(resources)) {
      this.resources[type] = (this.resources[type] ?? 0) + amount;
      this.lost[type] = (this.lost[type] ?? 0) + amount * hours;
    }
  }

  view(): VictimGroup {
    const { name, victims, resources, lost } = this;
    return { name, victims, resources, lost };
  }

  private hoursLost(allocation: SnapshotAllocation | undefined): number {
    if (!allocation) return 0;
    const saved = Date.parse(allocation.checkpointedAt ?? allocation.startedAt);
    return Math.max(0, this.present.takenAt - saved) / hourMs;
  }
}

/** The queues whose clocks a configuration affects, with their runs: also of queues whose quota stays. */
export const affectedBy = ({
  changed,
  pending,
}: Pick<Preview, 'changed' | 'pending'>): (QueuePreview | PendingPreview)[] => [
  ...changed,
  ...pending.filter(({ clock }) => clock.effect !== 'none'),
];

/** The victims that a run evicts once nothing holds it: none in observe mode. */
export function evictedBy(run: Partial<RunPreview>): Victim[] {
  return run.waitsFor?.some((wait) => wait.for === 'mode') ? [] : victimsOf(run);
}

/** The victims of the plan of a run, without those that a stop of their queue spares. */
function victimsOf({ plan, held = [] }: Partial<RunPreview>): Victim[] {
  const spared = new Set(held);
  return (plan?.victims ?? []).filter(({ allocation }) => !spared.has(allocation));
}
