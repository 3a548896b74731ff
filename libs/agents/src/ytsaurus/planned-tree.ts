import { readConfiguration } from '#configuration';
import { InputError, type Resources, resolveShares, type SnapshotQueue } from '#contracts';
import type { DumpDifference, StateDump } from '../yunikorn/state-dump.js';
import { sumOf } from './answers.js';
import { makeConfiguration } from './configuration.js';
import { heldByJob, type TreeLook } from './look.js';
import { YtInventory } from './yt-inventory.js';

/** A pool tree that plans are made for. */
export interface PlannedTree extends StateDump {
  /** Of fair-share. */
  settings: Readonly<Record<string, unknown>>;
}

/** So long ago that every timeout is over. */
const longAgo = new Date(0).toISOString();

/**
 * What plans are made from: the work of a tree, with its pools and settings as its attributes have them. One look does not tell since when
 * something has been so: whoever is below its fair share, and each node with more than its capacity, counts as being so for long enough.
 *
 * @param text a configuration of the tree in place of its own.
 * @throws InputError if the configuration is refused.
 */
export function plannedTree(partition: string, look: TreeLook, text?: string): PlannedTree {
  const inventory = new YtInventory({ hasEnding: () => false, isEnding: () => false });
  inventory.show(look);
  const { nodes, applications, allocations } = inventory.listing();
  const own = () => JSON.stringify(makeConfiguration(look.tree, undefined).configuration);
  const { errors, queues, partitions } = readConfiguration(text ?? own(), { format: 'ytsaurus', partition });
  const [problem] = errors;
  if (problem !== undefined)
    throw new InputError(problem.path, problem.message, problem.line, problem.column);
  const size = sumOf(nodes.map(({ capacity }) => capacity ?? {}));
  const ofTree = queues
    .filter((queue) => queue.partition.toLowerCase() === partition.toLowerCase())
    .map((queue) => resolveShares(queue, size));
  const policies = partitions.find(({ name }) => name.toLowerCase() === partition.toLowerCase())?.policies;
  if (policies === undefined) {
    throw new InputError(
      '',
      `it has no tree ${partition}; it has ${partitions.map(({ name }) => name).join(', ')}`,
    );
  }
  const starving = { starvationStatus: 'starving' };
  return {
    settings: policies['fair-share'] ?? {},
    snapshot: {
      apiVersion: 'curtail/v1',
      kind: 'ClusterSnapshot',
      takenAt: new Date(latestOf(look)).toISOString(),
      partition,
      nodes: nodes.map((node) => ({ ...node, properties: { overcommittedSince: longAgo } })),
      queues: ofTree.map(({ path, max, guaranteed, properties }): SnapshotQueue => {
        const state = path === 'root' ? {} : starving;
        return {
          path,
          ...(max !== null && { max }),
          ...(guaranteed !== null && { guaranteed }),
          properties: { ...properties, ...state },
        };
      }),
      applications: applications.map((one) => ({ ...one, properties: { ...one.properties, ...starving } })),
      allocations,
    },
    queues: ofTree.map(({ path, max, guaranteed, delayMs, parent }) => ({
      ...{ path, max, guaranteed, delayMs, parent },
    })),
    differences: differencesOf(look),
  };
}

/** Operations whose lists do not fit what the scheduler shows, by their queues. */
function differencesOf({ operations }: TreeLook): DumpDifference[] {
  const of = new Map<string, { allocated: Resources[]; listed: Resources[] }>();
  for (const { isSettled, queue, orchid, jobs, held } of operations.values()) {
    if (isSettled) continue;
    const sums = of.get(queue) ?? { allocated: [], listed: [] };
    of.set(queue, sums);
    sums.allocated.push(orchid.usage);
    sums.listed.push(...jobs.map(({ id }) => heldByJob(held, id)));
  }
  return [...of].map(([queue, { allocated, listed }]) => ({
    ...{ queue, allocated: sumOf(allocated), listed: sumOf(listed) },
  }));
}

/** The time of the snapshot: the latest one in the answers. */
const latestOf = ({ operations }: TreeLook): number =>
  [...operations.values()].reduce(
    (latest, { listed, jobs }) =>
      jobs.reduce(
        (at, { startedAt }) => Math.max(at, Date.parse(startedAt)),
        Math.max(latest, listed?.startedAt ?? 0),
      ),
    0,
  );
