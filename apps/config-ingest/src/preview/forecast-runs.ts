import { type ClusterReader, InventoryUnknown, takePlanningSnapshot, withLeaving } from '@curtail/clusters';
import {
  type ClusterSnapshot,
  InputError,
  isWithin,
  type Plan,
  quotaPolicy,
  settingsOfQueue,
  totalOf,
} from '@curtail/contracts';
import type { RunPreview } from '@curtail/contracts/api';
import {
  addMs,
  afterApproval,
  afterResume,
  atDate,
  coveringStop,
  type ForecastRun,
  type ForecastStart,
  type Moment,
  nextStart,
  overBy,
  type ScheduleState,
  type Stop,
} from '@curtail/enforcement';
import type { DataSource } from 'typeorm';
import type { MakePlan } from './plan-apart.js';
import { type ForecastScope, idsOf, type PendingClock, waitsAfterPlan, waitsBeforeStart } from './waits.js';

/** The source of allocations, and the planner that reads it. */
interface Sources {
  db: DataSource;
  cluster: ClusterReader;
  plan: MakePlan;
}

/** From the start of a run to its first order, and from the last answer to its end. */
const runTakesMs = 500;

/**
 * Plans the runs of pending clocks in the order in which they start, from the current allocations. Each plan knows the
 * earlier runs as it will at its start: those in progress then as enforcing, and all their victims as leaving.
 *
 * @param pending the clocks; none is suspended by the switch.
 */
export async function forecastRuns(
  sources: Sources,
  scope: ForecastScope,
  pending: readonly ScheduleState[],
): Promise<Map<string, RunPreview>> {
  const { present } = scope;
  const now = present.at.getTime();
  let clocks = pending.flatMap((state) => clockOf(state, present.stops, now));
  const runs = present.runs.map((run): ForecastRun => {
    const { queue, victims, awaitsApproval } = run;
    const from = atDate(now);
    return { queue, victims: [], until: awaitsApproval ? afterApproval(from) : endOf(from, victims, scope) };
  });
  const found = new Map<string, RunPreview>();
  const memory: Memory = {};
  for (;;) {
    const start = nextStart(clocks, runs);
    if (start === undefined) return found;
    const { clock } = start;
    clocks = clocks.filter((other) => other !== clock);
    const { preview, run } = await forecast({ ...sources, memory }, scope, start);
    found.set(clock.queue, { order: found.size + 1, ...preview });
    if (run) runs.push(run);
  }
}

function clockOf(state: ScheduleState, stops: readonly Stop[], now: number): PendingClock[] {
  const { queue, pending, values } = state;
  if (!pending) return [];
  const stop = stops.find((set) => set.queue === null || isWithin(queue, set.queue));
  const due = Math.max(now, Date.parse(pending.dueAt));
  // A stop holds the clock; when it is cleared, the whole delay restarts.
  const from = stop ? afterResume(values.delayMs) : atDate(due);
  const dueAt = stop ? addMs(resumed, values.delayMs) : pending.dueAt;
  return [{ queue, dueAt, from, state, stop }];
}

/** Clocks held by a stop are all reset at the same moment: their delays determine their order. */
const resumed = new Date(0).toISOString();

type Found = { preview: Omit<RunPreview, 'order'>; run?: ForecastRun };

/** Why the cluster is unknown: waits once, not for each clock. */
interface Memory {
  unknown?: InventoryUnknown;
}

async function forecast(
  { db, cluster, plan, memory }: Sources & { memory: Memory },
  scope: ForecastScope,
  start: ForecastStart<PendingClock>,
): Promise<Found> {
  const { partition, queues, settings } = scope;
  const { clock, inProgress } = start;
  const { queue, state, stop } = clock;
  const dueAt = stop ? null : clock.dueAt;
  const waits = waitsBeforeStart(start, scope);
  let snapshot: ClusterSnapshot;
  let made: Plan;
  try {
    if (memory.unknown) throw memory.unknown;
    const taken = await takePlanningSnapshot(db, cluster, {
      partition,
      queue,
      queues,
      nodeAware: settings.policy.nodeAware,
      mostAllocations: settings.mostAllocations,
      fired: state.values,
      enforcing: inProgress.map((run) => run.queue),
    });
    snapshot = withLeaving(taken, idsOf(leavingAt(start)));
    made = await plan({
      snapshot,
      trigger: { policy: quotaPolicy, queue },
      settings: {
        ...settingsOfQueue(settings.policy, snapshot.queues, queue),
        quotaPreemptionEnabled: true,
      },
    });
  } catch (error) {
    // The cluster and the configuration contradict each other in this queue; the request itself is valid.
    if (!(error instanceof InputError)) throw error;
    if (error instanceof InventoryUnknown) memory.unknown = error;
    return { preview: { dueAt, waitsFor: waits, planFault: error.sentence, held: [] } };
  }
  const { stops } = scope.present;
  const victims = made.victims.map(({ allocation, queue: of, resources }) => {
    return { allocation, queue: of, resources, spared: coveringStop(of, stops) !== undefined };
  });
  // A clock held by a stop runs once the stops are cleared.
  const held = stop ? [] : victims.filter(({ spared }) => spared);
  const { observes, approval } = waitsAfterPlan(made, snapshot, start, scope);
  const preview = {
    dueAt,
    waitsFor: [...waits, ...observes, ...approval],
    plan: made,
    held: held.map(({ allocation }) => allocation),
  };
  if (!takesLock(snapshot, start)) return { preview };
  const evicted = observes.length > 0 ? [] : victims;
  const count = evicted.length - held.length;
  const until = approval.length > 0 ? afterApproval(start.at) : endOf(start.at, count, scope);
  return { preview, run: { queue, until, victims: stop ? evicted.map(taken) : evicted } };
}

const taken = <V extends { spared: boolean }>(victim: V): V => ({ ...victim, spared: false });

/** The first victim is evicted at once, the others at this rate per second. */
function endOf({ phase, ms }: Moment, victims: number, { settings }: ForecastScope): Moment {
  const seconds = Math.floor(Math.max(0, victims - 1) / settings.victimsPerSecond);
  return { phase, ms: ms + runTakesMs + seconds * 1000 };
}

/** Victims of earlier runs that are leaving or gone; one spared by a stop stays after its run has ended. */
const leavingAt = ({ inProgress, over }: ForecastStart<PendingClock>) => [
  ...inProgress.flatMap(({ victims }) => victims),
  ...over.flatMap(({ victims }) => victims.filter(({ spared }) => !spared)),
];

/** Whether running allocations exceed the quota then, planned or not: otherwise the clock is cancelled as not needed. */
function takesLock(snapshot: ClusterSnapshot, { clock, inProgress }: ForecastStart<PendingClock>): boolean {
  const stillThere = idsOf(inProgress.flatMap(({ victims }) => victims));
  const running = snapshot.allocations.filter(
    ({ id, queue, state = 'running' }) =>
      isWithin(queue, clock.queue) && (state === 'running' || stillThere.has(id)),
  );
  const max = snapshot.queues.find(({ path }) => path === clock.queue)?.max ?? {};
  const over = overBy({ usage: totalOf(running), inFlight: {} }, max);
  return Object.keys(over).length > 0;
}
