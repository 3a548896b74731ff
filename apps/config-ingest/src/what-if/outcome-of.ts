import { quantityText } from '@curtail/configuration';
import {
  type ClusterSnapshot,
  type QuotaValues,
  type Resources,
  type SnapshotAllocation,
  type Victim,
  withAncestors,
} from '@curtail/contracts';
import type {
  AlternativeOutcome,
  ClockPreview,
  Preview,
  RunPreview,
  VictimGroup,
} from '@curtail/contracts/api';

const groupsAtMost = 20;
const queuesAtMost = 100;
const hourMs = 3_600_000;

/** The current allocations of a partition, for looking up victims. */
export interface Present {
  /** Milliseconds since 1970, by the clock of the snapshot. */
  takenAt: number;
  allocations: ReadonlyMap<string, SnapshotAllocation>;
  /** By application. */
  users: ReadonlyMap<string, string>;
  /** What the running allocations of a queue and those below it use; work that is leaving does not count. */
  usage: ReadonlyMap<string, Resources>;
}

export function presentOf({ takenAt, allocations, applications }: ClusterSnapshot): Present {
  return {
    takenAt: Date.parse(takenAt),
    allocations: new Map(allocations.map((allocation) => [allocation.id, allocation])),
    users: new Map(applications.flatMap(({ id, user }) => (user === undefined ? [] : [[id, user]]))),
    usage: usageOf(allocations),
  };
}

function usageOf(allocations: readonly SnapshotAllocation[]): Map<string, Record<string, number>> {
  const usage = new Map<string, Record<string, number>>();
  for (const { queue, resources, state = 'running' } of allocations) {
    if (state !== 'running') continue;
    for (const path of withAncestors(new Set([queue]))) {
      const sum = usage.get(path) ?? {};
      usage.set(path, sum);
      for (const [type, amount] of Object.entries(resources)) sum[type] = (sum[type] ?? 0) + amount;
    }
  }
  return usage;
}

/** Sums up a preview: who would lose what, what stays above its quota, and which quota would need no victim. */
export function outcomeOf(name: string, preview: Preview, present: Present): AlternativeOutcome {
  const { changed, pending, rounds, quotaPreemptionEnabled } = preview;
  const runs = [...changed, ...pending.filter(({ clock }) => clock.effect !== 'none')];
  const held = new Set(runs.flatMap((run) => run.held ?? []));
  const victims = distinct([
    ...runs.flatMap(({ plan }) => plan?.victims ?? []),
    ...rounds.flatMap(({ plan, more }) => {
      const isMore = new Set(more);
      return (plan?.victims ?? []).filter(({ allocation }) => isMore.has(allocation));
    }),
  ]);
  const taken = victims.filter(({ allocation }) => !held.has(allocation));
  const userOf = ({ application }: Victim) => present.users.get(application) ?? '';
  const all = new Group('', present);
  for (const victim of taken) all.add(victim);
  const { victims: count, resources, lost } = all.view();
  return {
    name,
    quotaPreemptionEnabled,
    changedQuotas: changed.length + preview.removed.length,
    victims: count,
    held: held.size,
    waitsForApproval: runs.filter(({ waitsFor = [] }) => waitsFor.some((wait) => wait.for === 'approval'))
      .length,
    firstDueAt: runs.flatMap(({ dueAt }) => dueAt ?? []).toSorted()[0] ?? null,
    resources,
    lost,
    byQueue: grouped(taken, ({ queue }) => queue, present),
    byOwner: grouped(taken, userOf, present),
    byApplication: grouped(taken, ({ application }) => application, present),
    stays: runs.flatMap((run) => staying(run, present)).slice(0, queuesAtMost),
    lowest: changed
      .filter(({ plan }) => plan !== undefined && plan.victims.length > 0)
      .slice(0, queuesAtMost)
      .map(({ queue, current }) => lowestWithoutVictims(queue, current.max ?? {}, present)),
    notPlanned: preview.notPlanned,
  };
}

/** Several runs may plan for one allocation; it is evicted once. */
function distinct(victims: readonly Victim[]): Victim[] {
  return [...new Map(victims.map((victim) => [victim.allocation, victim])).values()];
}

type Run = { queue: string; current: QuotaValues; clock: ClockPreview } & Partial<RunPreview>;

function staying({ queue, current, clock, plan, planFault, waitsFor = [] }: Run, { usage }: Present) {
  if (plan) {
    const above = positive(plan.shortfall);
    if (!above) return [];
    const notices = plan.notices.filter(({ about }) => about.kind === 'queue' && about.name === plan.queue);
    return [{ queue, above, because: notices.map(({ message }) => message).join(' ') }];
  }
  const used = usage.get(queue) ?? {};
  const above = positive(
    Object.fromEntries(
      Object.entries(current.max ?? {}).map(([type, max]) => [type, (used[type] ?? 0) - max]),
    ),
  );
  if (!above) return [];
  const because = planFault ?? waitsFor[0]?.because ?? `No run: ${clock.because}.`;
  return [{ queue, above, because }];
}

function positive(amounts: Resources): Resources | undefined {
  const entries = Object.entries(amounts).filter(([, amount]) => amount > 0);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** A clock runs out without a run if what the running allocations use fits into the quota. */
function lowestWithoutVictims(queue: string, max: Resources, { usage }: Present) {
  const used = usage.get(queue) ?? {};
  const lowest = Object.fromEntries(
    Object.entries(max).map(([type, amount]) => [type, Math.max(amount, used[type] ?? 0)]),
  );
  const text = Object.fromEntries(
    Object.entries(lowest).map(([type, amount]) => [type, quantityText(type, BigInt(amount))]),
  );
  return { queue, max: lowest, text };
}

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
