import {
  type SettingOverrides,
  withFurtherVictims,
  withLeaving,
  withOverrides,
} from '#clusters/planning-view';
import {
  type ClusterSnapshot,
  clockTrigger,
  InputError,
  isWithin,
  type Limit,
  type Plan,
  settingsOfPlans,
  settingsOfQueue,
  totalOfAllocations,
} from '#contracts';
import type { RunPreview } from '#contracts/api';
import {
  addMs,
  afterApproval,
  afterResume,
  atDate,
  type ClockState,
  coveringStop,
  type ForecastRun,
  type ForecastStart,
  type ForecastVictim,
  type Moment,
  nextStart,
  overBy,
  secondsToEvict,
  toInstant,
} from '#enforcement';
import { frozenClock } from '#holds/freezes';
import type { PresentPartition } from './present.js';
import {
  type ForecastScope,
  type PendingClock,
  victimIds,
  waitsAfterPlan,
  waitsBeforeStart,
} from './waits.js';

/** A snapshot and a trigger for the planner, which may be in a thread: it gets a copy of both. */
export interface PlanQuestion {
  snapshot: ClusterSnapshot;
  trigger: { policy: string; queue?: string };
  settings: unknown;
}

/** Makes the plans of one preview, with the deciding rules of their victims. @throws InputError for input that cannot be planned. */
export type MakePlan = (question: PlanQuestion) => Promise<Plan>;

/** What the snapshot of one plan has to show. */
export interface AskedSnapshot {
  queue: string;
  /** All queues of the configuration to plan with. */
  queues: ForecastScope['queues'];
  /** The limit that the run fires with. */
  fired: Limit;
  /** Queues with runs in progress then. */
  enforcing: readonly string[];
}

/** The source of allocations, and the planner that reads it. */
export interface ForecastSources {
  /** What operators have set in the place of properties of queues. */
  overrides: SettingOverrides;
  /** @throws InputError if the cluster is not known well enough, or contradicts the configuration. */
  take(asked: AskedSnapshot): Promise<ClusterSnapshot>;
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
  sources: ForecastSources,
  given: ForecastScope,
  pending: readonly ClockState[],
): Promise<Map<string, RunPreview>> {
  const scope = { ...given, queues: [...withOverrides(given.queues, sources.overrides)] };
  const { present } = scope;
  const now = present.at.getTime();
  let clocks = pending.flatMap((state) => clockOf(state, present, now));
  const runs = present.runs.map((run): ForecastRun => {
    const { queue, victims, awaitsApproval } = run;
    const from = atDate(now);
    return {
      queue,
      victims: [],
      until: awaitsApproval ? afterApproval(from) : endOf(from, queue, victims, scope),
    };
  });
  const found = new Map<string, RunPreview>();
  for (;;) {
    const start = nextStart(clocks, runs);
    if (start === undefined) return found;
    const { clock } = start;
    clocks = clocks.filter((other) => other !== clock);
    const { preview, run } = await forecast(sources, scope, start);
    found.set(clock.queue, { order: found.size + 1, ...preview });
    if (run) runs.push(run);
  }
}

function clockOf(
  state: ClockState,
  { stops, freezes }: Pick<PresentPartition, 'stops' | 'freezes'>,
  now: number,
): PendingClock[] {
  const { queue, pending, values } = state;
  if (!pending) return [];
  const stop = coveringStop(queue, stops);
  const due = Math.max(now, Date.parse(pending.dueAt));
  // The clock waits for the end of a freeze in which it falls due.
  const frozen = stop ? undefined : frozenClock(queue, freezes, due, now);
  const start = Math.max(due, frozen ? Date.parse(frozen.until) : 0);
  // A stop holds the clock; when it is cleared, the whole delay restarts.
  const from = stop ? afterResume(values.delayMs) : atDate(start);
  const dueAt = stop ? addMs(resumed, values.delayMs) : pending.dueAt;
  return [{ queue, dueAt, from, state, stop, frozen }];
}

/** Clocks held by a stop are all reset at the same moment: their delays determine their order. */
const resumed = new Date(0).toISOString();

type Found = { preview: Omit<RunPreview, 'order'>; run?: ForecastRun };

async function forecast(
  { take, plan }: ForecastSources,
  scope: ForecastScope,
  start: ForecastStart<PendingClock>,
): Promise<Found> {
  const { settings } = scope;
  const { clock, inProgress } = start;
  const { queue, state, stop } = clock;
  const dueAt = stop ? null : clock.dueAt;
  // What waits for a person has no date.
  const startsAt = start.at.phase === 0 ? toInstant(start.at.ms) : null;
  const waits = waitsBeforeStart(start, scope);
  let snapshot: ClusterSnapshot;
  let made: Plan;
  try {
    const taken = await take({
      queue,
      queues: scope.queues,
      fired: state.values,
      enforcing: inProgress.map((run) => run.queue),
    });
    const leaving = leavingAt(start);
    const chosen = settingsOfQueue(settingsOfPlans, settings.policy, taken.queues, queue);
    const counted = (chosen.ownerBudgets ?? []).length > 0 ? leaving : [];
    snapshot = withFurtherVictims(
      withLeaving(taken, victimIds(leaving)),
      counted.map(({ user, application, queue }) => {
        return { ...(user === undefined ? {} : { user }), application, queue, at: taken.takenAt };
      }),
    );
    made = await plan({
      snapshot,
      trigger: clockTrigger(queue),
      settings: { ...chosen, quotaPreemptionEnabled: true },
    });
  } catch (error) {
    // The cluster and the configuration contradict each other in this queue; the request itself is valid.
    if (!(error instanceof InputError)) throw error;
    return { preview: { dueAt, startsAt, waitsFor: waits, planFault: error.sentence, held: [] } };
  }
  const { stops } = scope.present;
  const users = new Map(snapshot.applications.map(({ id, user }) => [id, user]));
  const victims = made.victims.map(({ allocation, application, queue: of, resources }): ForecastVictim => {
    const user = users.get(application);
    const spared = coveringStop(of, stops) !== undefined;
    return { allocation, application, queue: of, ...(user !== undefined && { user }), resources, spared };
  });
  // A clock held by a stop runs once the stops are cleared.
  const held = stop ? [] : victims.filter(({ spared }) => spared);
  const { observes, approval } = waitsAfterPlan(made, snapshot, start, scope);
  const preview = {
    dueAt,
    startsAt,
    waitsFor: [...waits, ...observes, ...approval],
    plan: made,
    held: held.map(({ allocation }) => allocation),
  };
  if (!takesLock(snapshot, start)) return { preview };
  const evicted = observes.length > 0 ? [] : victims;
  const count = evicted.length - held.length;
  const until = approval.length > 0 ? afterApproval(start.at) : endOf(start.at, queue, count, scope);
  return { preview, run: { queue, until, victims: stop ? evicted.map(taken) : evicted } };
}

const taken = <V extends { spared: boolean }>(victim: V): V => ({ ...victim, spared: false });

function endOf({ phase, ms }: Moment, queue: string, victims: number, scope: ForecastScope): Moment {
  const { victimsPerSecond } = settingsOfQueue(['victimsPerSecond'], scope.settings, scope.queues, queue);
  return { phase, ms: ms + runTakesMs + secondsToEvict(victims, { victimsPerSecond }) * 1000 };
}

/** Victims of earlier runs that are leaving or gone; one spared by a stop stays after its run has ended. */
const leavingAt = ({ inProgress, over }: ForecastStart<PendingClock>) => [
  ...inProgress.flatMap(({ victims }) => victims),
  ...over.flatMap(({ victims }) => victims.filter(({ spared }) => !spared)),
];

/** Whether running allocations exceed the quota then, planned or not: otherwise the clock is cancelled as not needed. */
function takesLock(snapshot: ClusterSnapshot, { clock, inProgress }: ForecastStart<PendingClock>): boolean {
  const stillThere = victimIds(inProgress.flatMap(({ victims }) => victims));
  const running = snapshot.allocations.filter(
    ({ id, queue, state = 'running' }) =>
      isWithin(queue, clock.queue) && (state === 'running' || stillThere.has(id)),
  );
  const max = snapshot.queues.find(({ path }) => path === clock.queue)?.max ?? {};
  const over = overBy({ usage: totalOfAllocations(running), inFlight: {} }, max);
  return Object.keys(over).length > 0;
}
