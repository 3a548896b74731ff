import { composeSnapshot, NodesUnknown, type QueueInForce } from '#clusters/planning-view';
import { effectOnClock } from '#configuration';
import {
  type ClusterSnapshot,
  chain,
  clusterSize,
  defaultsOfRuns,
  isWithin,
  nodeLabelsField,
  nodeLabelsOf,
  type Resources,
  readDecreaseSettings,
  resolveShares,
} from '#contracts';
import type {
  ClockPreview,
  ConfigurationWarning,
  PendingPreview,
  Preview,
  QueuePreview,
  RunPreview,
} from '#contracts/api';
import { type ClockState, initialClockState, overBy } from '#enforcement';
import { changes, guaranteedChanges, quotaValuesOf } from './changes.js';
import { type AskedSnapshot, forecastRuns, type MakePlan } from './forecast-runs.js';
import { evictedBy, type UsageAgainstQuota } from './outcome-of.js';
import { type ForecastSettings, withConfiguredFreezes } from './present.js';

/** A configuration and the work that it would meet, of one partition. */
export interface SnapshotQuestion {
  snapshot: ClusterSnapshot;
  /** The configuration in force. */
  before: readonly QueueInForce[];
  /** The configuration to try. */
  queues: QueueInForce[];
  warnings: ConfigurationWarning[];
  /** Queues whose runs are planned although they have no delay. */
  withoutDelay: (path: string) => boolean;
}

/** Settings of an installation that sets none. */
const settings: ForecastSettings = { policy: readDecreaseSettings({}), ...defaultsOfRuns };

/**
 * Previews a configuration by a snapshot alone, as if it came into force at its time and no configuration was known before: a clock starts in
 * each queue that has a delay and is above its max. A snapshot knows no clocks, runs, stops or modes, so there are none.
 */
export async function foreseeInSnapshot(
  { snapshot, before, queues, warnings, withoutDelay }: SnapshotQuestion,
  plan: MakePlan,
): Promise<{ preview: Preview; usage: ReadonlyMap<string, UsageAgainstQuota> }> {
  const { partition, takenAt: at } = snapshot;
  const size = clusterSize(snapshot.nodes ?? []);
  const usage = usageOf(snapshot);
  const labels = nodeLabelsOf(queues);
  const clocks = labels.length > 0 ? [] : queues.flatMap((queue) => clockOf(queue));

  function clockOf(queue: QueueInForce): ClockState[] {
    const { path, delayMs } = queue;
    const { max } = resolveShares(queue, size);
    const isAbove = Object.keys(overBy(usage.get(path) ?? unused, max ?? {})).length > 0;
    if (!isAbove || (delayMs === 0 && !withoutDelay(path))) return [];
    const dueAt = new Date(Date.parse(at) + delayMs).toISOString();
    const pending = { enforcement: `preview-${path}`, generation: 1, dueAt, suspended: false };
    return [{ ...initialClockState(partition, path), values: quotaValuesOf(queue), pending }];
  }

  const take = async (asked: AskedSnapshot) => {
    const shared = asked.queues.find(({ clusterShare }) => clusterShare);
    if (shared && Object.keys(size).length === 0) throw new NodesUnknown(shared.path);
    const enforcing = new Set(asked.enforcing);
    return composeSnapshot(partOf(snapshot, asked), { queues: asked.queues, enforcing, preempting: [] });
  };
  const nothing = { stops: [], freezes: [], clocks: [], runs: [] };
  const present = withConfiguredFreezes({ at: new Date(at), mode: 'enforce', ...nothing }, partition, queues);
  const scope = { partition, queues, present, settings };
  const forecast = await forecastRuns({ overrides: {}, take, plan }, scope, clocks);
  const delays = new Map(queues.map(({ path, delayMs }) => [path, delayMs]));
  // Without a delay, there is no time at which a run would start.
  const runs = new Map(
    [...forecast].map(([queue, { dueAt, startsAt, ...run }]): [string, Partial<RunPreview>] =>
      delays.get(queue) === 0 ? [queue, run] : [queue, { dueAt, startsAt, ...run }],
    ),
  );

  const events = changes(partition, [...before], queues, size);
  const changed = events.flatMap((event): QueuePreview[] => {
    if (event.name !== 'QuotaChanged') return [];
    const { queue, previous, current } = event.data;
    const run = runs.get(queue);
    const clock = run ? startOf(current.delayMs) : effectOnClock(previous, current);
    return [{ queue, previous, current, clock, ...run }];
  });
  const isChanged = new Set(changed.map(({ queue }) => queue));
  const pending = clocks.flatMap(({ queue, values }): PendingPreview[] =>
    isChanged.has(queue)
      ? []
      : [{ queue, current: values, clock: startOf(values.delayMs), ...runs.get(queue) }],
  );
  const victims = [...changed, ...pending].flatMap(evictedBy).map(({ allocation }) => allocation);
  const preview: Preview = {
    partition,
    dryRun: true,
    at,
    quotaPreemptionEnabled: labels.length === 0,
    previousQuotaPreemptionEnabled: labels.length === 0,
    ...nodeLabelsField(labels),
    policyChanges: [],
    changed,
    pending,
    removed: events.flatMap((event) =>
      event.name === 'QueueRemoved' ? [{ queue: event.data.queue, previous: event.data.previous }] : [],
    ),
    guaranteedChanged: guaranteedChanges(before, queues, size),
    propertiesChanged: [],
    notPlanned: 0,
    rounds: [],
    running: [],
    victims: new Set(victims).size,
    ceiling: null,
    warnings,
  };
  return { preview, usage };
}

/**
 * The part of a snapshot that a plan depends on: up to the topmost guaranteed amount, whose floor counts everything below it, as the
 * snapshots of runs do.
 */
function partOf(snapshot: ClusterSnapshot, { queue, queues }: AskedSnapshot): ClusterSnapshot {
  const isAbove = new Set(chain(queue));
  const floored = queues.filter(
    ({ path, guaranteed, clusterShare }) =>
      isAbove.has(path) &&
      (clusterShare?.guaranteed !== undefined || Object.keys(guaranteed ?? {}).length > 0),
  );
  const top = floored.reduce((least, { path }) => (path.length < least.length ? path : least), queue);
  const isPart = (of: { queue: string }) => isWithin(of.queue, top);
  return {
    ...snapshot,
    applications: snapshot.applications.filter(isPart),
    allocations: snapshot.allocations.filter(isPart),
  };
}

const startOf = (delayMs: number): ClockPreview => ({
  effect: 'starts or restarts',
  because:
    delayMs > 0 ? 'it is above its max' : 'it is above its max, and would have a run if it had a delay',
});

const unused: UsageAgainstQuota = { usage: {}, inFlight: {} };

/** What each queue uses, with the queues below it, and what of that is leaving. */
function usageOf({ allocations }: ClusterSnapshot): Map<string, UsageAgainstQuota> {
  const found = new Map<string, { usage: Record<string, number>; inFlight: Record<string, number> }>();
  const add = (sum: Record<string, number>, amounts: Resources) => {
    for (const [type, amount] of Object.entries(amounts)) sum[type] = (sum[type] ?? 0) + amount;
  };
  for (const { queue, resources, state = 'running' } of allocations) {
    for (const path of chain(queue)) {
      const of = found.get(path) ?? { usage: {}, inFlight: {} };
      found.set(path, of);
      add(of.usage, resources);
      if (state !== 'running') add(of.inFlight, resources);
    }
  }
  return found;
}
