import {
  type ClusterSnapshot,
  InputError,
  parseDelayDuration,
  type Resources,
  resolveShares,
  type SnapshotQueue,
} from '#contracts';
import type { DumpDifference, QueueOfDump, StateDump } from '../yunikorn/state-dump.js';
import type { YarnSettings } from './agent-options.js';
import type { YarnQueue } from './answers.js';
import { comparedAmounts, makeConfiguration, readingOnce } from './configuration.js';
import { demandAsShown } from './demand.js';
import { sumOf, totalOf } from './look.js';
import { ApplicationQueues } from './places.js';
import type { SavedCluster } from './saved-answers.js';
import { YarnInventory } from './yarn-inventory.js';

export interface PlannedCluster extends StateDump {
  /** Properties of YARN that count in a configuration to try, where it has none of its own. */
  defaults: ReadonlyMap<string, string>;
  /** What the agent would not submit, in a sentence; undefined: all of it is in force. */
  notInForce?: string | undefined;
}

/**
 * What plans are made from: the work of a cluster, with the limits that its manager shows in force. Delays, settings of queues and of the agent
 * come from its properties and from the file of settings.
 *
 * @throws InputError for a cluster with node labels, in which Curtail enforces nothing, or without amounts in force.
 */
export function plannedCluster(
  partition: string,
  { nodes, queues, apps, properties, takenAt, isSizeSettled }: SavedCluster,
  settings: YarnSettings,
): PlannedCluster {
  const labels = new Set([...queues.labels, ...nodes.flatMap((node) => node.labels)]);
  if (labels.size > 0) {
    const names = [...labels].sort().join(', ');
    throw new InputError(
      'scheduler',
      `the node labels ${names} have capacities of their own: Curtail enforces nothing in a cluster with node labels, so it plans nothing there`,
    );
  }
  const read = readingOnce(partition);
  const parts = {
    scheduler: properties,
    manager: new Map<string, string>(),
    settings: settings.properties,
    isMonitorOn: false,
  };
  // Without properties of queues there is nothing to compare: what is in force is known all the same.
  const isKnown = [...(properties ?? []), ...settings.properties].some(([name]) => name.endsWith('.queues'));
  const made = isKnown
    ? makeConfiguration(partition, parts, { queues, nodes, isSizeSettled }, read)
    : undefined;
  const sorted = [...settings.properties, ...(properties ?? [])];
  const configured = isKnown ? read(configurationOf(sorted)) : undefined;
  const compared = comparedAmounts(new Map(sorted));
  const size = compared(totalOf(nodes));
  const ofConfiguration = new Map(
    (configured?.valid ? configured.queues : []).map((queue) => [queue.path, resolveShares(queue, size)]),
  );
  const delays = delaysOf(settings.properties);
  const inForce = queues.queues
    .filter(({ isAutoCreated }) => !isAutoCreated)
    .map((queue): QueueOfDump => {
      const path = queue.path.toLowerCase();
      const own = ofConfiguration.get(path);
      const limit = (shown: Resources | undefined, other: Resources | null | undefined) =>
        path === 'root' ? null : shown === undefined ? (other ?? null) : compared(shown);
      const max = limit(queue.max, own?.max);
      if (path !== 'root' && max === null) {
        throw new InputError(
          'scheduler',
          `${queue.path} is shown without effectiveMaxResource, and no scheduler-conf tells its limit: give the answer of /ws/v1/cluster/scheduler-conf, too`,
        );
      }
      return {
        path,
        max,
        guaranteed: limit(queue.guaranteed, own?.guaranteed),
        delayMs: own?.delayMs ?? delays(path),
        parent: !queue.isLeaf,
      };
    });
  const propertiesOf = new Map(
    (configured?.valid ? configured.queues : []).map(({ path, properties: own }) => [path, own]),
  );
  const { snapshot, places } = snapshotOf(partition, { apps, takenAt }, queues.queues, settings);
  return {
    snapshot: {
      ...snapshot,
      nodes: nodes.map(({ id, capacity }) => ({ id, capacity: compared(capacity) })),
      queues: inForce.map(({ path, max, guaranteed }): SnapshotQueue => {
        const own = propertiesOf.get(path);
        return {
          path,
          ...(max !== null && { max }),
          ...(guaranteed !== null && { guaranteed }),
          ...(own !== undefined && { properties: own }),
        };
      }),
    },
    queues: inForce,
    differences: differencesOf(apps, queues.queues, places),
    defaults: new Map([...settings.properties, [`yarn.scheduler.capacity.single-precision`, 'true']]),
    ...(made?.kind === 'differs' && { notInForce: made.message }),
  };
}

function snapshotOf(
  partition: string,
  { apps, takenAt }: Pick<SavedCluster, 'apps' | 'takenAt'>,
  queues: readonly YarnQueue[],
  { evictsMasters }: YarnSettings,
): { snapshot: ClusterSnapshot; places: ApplicationQueues } {
  const views = new Map(
    apps.map(({ app, containers }) => [
      app.id,
      { app, containers, listedAt: 0, isSettled: true, demand: demandAsShown(app) },
    ]),
  );
  const look = {
    info: { startedOn: 0, isActive: true, version: '' },
    nodes: [],
    queues: { queues: [...queues], labels: [] },
    apps: views,
    isSizeSettled: true,
    begunAt: 0,
  };
  const inventory = new YarnInventory({ evictsMasters: () => evictsMasters, isEnding: () => false });
  inventory.show(look);
  const { applications, allocations } = inventory.listing();
  return {
    places: new ApplicationQueues(queues),
    snapshot: {
      apiVersion: 'curtail/v1',
      kind: 'ClusterSnapshot',
      takenAt,
      partition,
      queues: [],
      applications,
      allocations,
    },
  };
}

/** Queues whose listed containers do not add up to what their applications, and the manager, say that they use. */
function differencesOf(
  apps: SavedCluster['apps'],
  queues: readonly YarnQueue[],
  places: ApplicationQueues,
): DumpDifference[] {
  const of = new Map<string, { allocated: Resources[]; reserved: Resources[]; listed: Resources[] }>();
  for (const { app, containers } of apps) {
    const path = places.of(app.queue);
    const sums = of.get(path) ?? { allocated: [], reserved: [], listed: [] };
    of.set(path, sums);
    sums.allocated.push(app.allocated);
    sums.reserved.push(app.reserved);
    sums.listed.push(...containers.map(({ resources }) => resources));
  }
  const used = new Map<string, Resources[]>();
  for (const { path, isLeaf, used: own } of queues) {
    if (!isLeaf || own === undefined) continue;
    const place = places.of(path);
    used.set(place, [...(used.get(place) ?? []), own]);
  }
  const differences: DumpDifference[] = [];
  for (const queue of new Set([...of.keys(), ...used.keys()])) {
    const { allocated = [], reserved = [], listed = [] } = of.get(queue) ?? {};
    const [shown, kept, there, said] = [used.get(queue), reserved, listed, allocated].map((amounts) =>
      sumOf(amounts ?? []),
    ) as [Resources, Resources, Resources, Resources];
    // A reservation counts as used, and is no container.
    const whole = (type: string) =>
      used.has(queue) ? (shown[type] ?? 0) - (kept[type] ?? 0) : (said[type] ?? 0);
    const types = ['memory', 'vcore'].filter((type) => whole(type) !== (there[type] ?? 0));
    if (types.length === 0) continue;
    const pick = (value: (type: string) => number) =>
      Object.fromEntries(types.map((type) => [type, Math.max(0, value(type))]));
    differences.push({ queue, allocated: pick(whole), listed: pick((type) => there[type] ?? 0) });
  }
  return differences;
}

const configurationOf = (properties: readonly (readonly [string, string])[]): Record<string, string> =>
  Object.fromEntries([
    ...properties.filter(([name]) => name !== 'yarn.resourcemanager.scheduler.monitor.enable'),
    ['yarn.scheduler.capacity.single-precision', 'true'],
  ]);

const delayName = /^yarn\.scheduler\.capacity\.(.+)\.quota-preemption-delay$/i;

/** Delays of the settings alone, inherited; where the properties of the queues are not known. */
function delaysOf(settings: ReadonlyMap<string, string>): (path: string) => number {
  const paths = [...settings].flatMap(([name, value]) => {
    const path = delayName.exec(name)?.[1]?.toLowerCase();
    return path === undefined ? [] : [[path, value] as const];
  });
  const own = new Map(paths);
  return (path) => {
    for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
      const text = own.get(at);
      if (text !== undefined) return Number(parseDelayDuration({ type: 'text', text }, at).ms);
    }
    return 0;
  };
}
