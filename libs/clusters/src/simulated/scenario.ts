import type { DataSource } from 'typeorm';
import { z } from 'zod';
import {
  InputError,
  parseQuantity,
  type Resources,
  type SnapshotApplication,
  type SnapshotNode,
} from '#contracts';
import type { PlacedScenario } from '#contracts/api';
import { checkInput } from '#platform';
import { behaviorFields, drawBehavior, SeededRandom } from './behavior.js';
import { readPartition } from './load-spec.js';
import {
  checkQueuePath,
  clearWork,
  countApplications,
  insertWorkload,
  lockForWriting,
  refuseWorkInParents,
  type SimulatedAllocation,
  type Workload,
} from './place.js';
import { NodeRoom } from './start-pending.js';

const id = z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,62}$/, 'write 1 to 63 of a-z, A-Z, 0-9, _ . -');
/** As configurations write them: memory in bytes with k M G or Ki Mi Gi, vcore in cores. */
const amounts = z.record(z.string().min(1).max(64), z.union([z.string(), z.number()]));
const minutes = z.number().min(0).max(527_040);

const priority = z.number().int().min(-1e9).max(1e9);

const budgetId = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9_./-]{0,127}$/, 'write 1 to 128 of a-z, A-Z, 0-9, _ . - /');

const running = z.strictObject({
  count: z.number().int().min(1).max(10_000).default(1),
  resources: amounts,
  role: z.enum(['task', 'originator', 'daemon', 'placeholder']).default('task'),
  /** The node they run on, even if it has no room; without it, the node with the most room. */
  node: id.optional(),
  /** They can be asked to finish; false: they are killed at once. */
  interruptible: z.boolean().optional(),
  /** Of each allocation, in place of that of the application. */
  priority: priority.optional(),
  /** The owner's preference; false: others go first. */
  allowPreemption: z.boolean().default(true),
  /** Never to be evicted. */
  protected: z.boolean().optional(),
  ...behaviorFields,
  /** The disruption budgets that each counts in. */
  budgets: z.array(budgetId).max(16).optional(),
  /** The age of what each has saved; absent: nothing. */
  checkpointedMinutesAgo: minutes.optional(),
  /** The age of the oldest; each next one is `secondsApart` younger. */
  startedMinutesAgo: minutes.default(60),
  secondsApart: z.number().min(0).max(3600).default(10),
});

/** The work of a scenario. docs/reference/scenarios.md */
export const scenario = z.strictObject({
  nodes: z.array(z.strictObject({ id, capacity: amounts })).max(1000),
  applications: z
    .array(
      z.strictObject({
        id,
        queue: z.string(),
        user: id,
        priority: priority.default(0),
        submittedMinutesAgo: minutes.default(90),
        running: z.array(running).max(100).default([]),
        pending: z
          .array(z.strictObject({ count: z.number().int().min(1).max(10_000), resources: amounts }))
          .max(100)
          .default([]),
        /** Its running tasks and originators are of use together only. */
        gang: z.strictObject({ minMembers: z.number().int().min(1).max(1_000_000) }).optional(),
        /** For fair-share: its weight among the operations of its pool. */
        weight: z.number().positive().optional(),
        /** Its pending work starts as soon as there is room. */
        startsWhenRoom: z.boolean().default(true),
        /** It releases an allocation by itself when it is notified of the eviction. */
        releasesWhenNotified: z.boolean().default(false),
      }),
    )
    .max(1000),
  /** Disruption budgets: how many of the allocations in each may still go. */
  budgets: z
    .array(z.strictObject({ id: budgetId, allowed: z.number().int().min(0).max(1e9) }))
    .max(1000)
    .default([]),
  /** Each number draws other times to leave. */
  seed: z.number().int().min(0).max(0xffffffff).default(1),
  /** Removes the work of the partition first; without it, the partition must be empty. */
  replace: z.boolean().default(false),
});

const mostAllocations = 20_000;

/**
 * Puts the work of a scenario into the simulated cluster, all of it or nothing.
 *
 * @throws RefusedInput with the invalid fields; InputError if the nodes have no room for the work, or if the partition has other work
 *   and `replace` is not set.
 */
export async function placeScenario(
  db: DataSource,
  name: string,
  input: unknown,
  now = new Date(),
): Promise<PlacedScenario> {
  const partition = readPartition(name);
  const spec = checkInput(scenario, input);
  const workload = workOf(spec, now);
  await db.transaction(async (tx) => {
    await lockForWriting(tx, partition);
    if (spec.replace) await clearWork(tx, partition, 'root');
    if ((await countApplications(tx, partition)) > 0) {
      throw new InputError(
        'partition',
        `partition ${partition} has other work: remove it first, or set replace`,
      );
    }
    await insertWorkload(tx, partition, workload);
    await refuseWorkInParents(tx, partition);
  });
  const { nodes, applications, allocations } = workload;
  return {
    partition,
    nodes: nodes.length,
    applications: applications.length,
    allocations: allocations.length,
  };
}

function workOf(input: z.output<typeof scenario>, now: Date): Required<Workload> {
  const nodes: SnapshotNode[] = input.nodes.map((node, index) => ({
    id: node.id,
    capacity: resourcesOf(node.capacity, `nodes[${index}].capacity`),
  }));
  const room = new NodeRoom(nodes);
  const ago = (ms: number) => new Date(now.getTime() - ms).toISOString();
  const applications: SnapshotApplication[] = [];
  const allocations: SimulatedAllocation[] = [];
  const budgets = new Set(input.budgets.map(({ id }) => id));
  const random = new SeededRandom(input.seed);
  input.applications.forEach((application, index) => {
    const path = `applications[${index}]`;
    const queue = checkQueuePath(`${path}.queue`, application.queue);
    applications.push({
      id: application.id,
      queue,
      user: application.user,
      priority: application.priority,
      submittedAt: ago(application.submittedMinutesAgo * 60_000),
      pending: application.pending.map((ask, i) => ({
        count: ask.count,
        resources: resourcesOf(ask.resources, `${path}.pending[${i}].resources`),
      })),
      properties: {
        ...(application.weight === undefined ? {} : { weight: application.weight }),
        ...(application.startsWhenRoom ? { startsWhenRoom: true } : {}),
        ...(application.releasesWhenNotified ? { releasesWhenNotified: true } : {}),
      },
      ...(application.gang && { gang: application.gang }),
    });
    application.running.forEach((group, i) => {
      refuseUnknownBudgets(group.budgets, budgets, `${path}.running[${i}].budgets`);
      const resources = resourcesOf(group.resources, `${path}.running[${i}].resources`);
      for (let nth = 0; nth < group.count; nth++) {
        if (group.node !== undefined && !room.force(group.node, resources)) {
          throw new InputError(
            `${path}.running[${i}].node`,
            `there is no node ${group.node} in the scenario`,
          );
        }
        const node = group.node ?? room.take(resources);
        if (node === undefined || allocations.length === mostAllocations) {
          throw new InputError(
            `${path}.running[${i}].count`,
            node === undefined
              ? `only ${nth} of ${group.count} have room on the nodes: give more nodes, or fewer allocations`
              : `a scenario has at most ${mostAllocations} allocations`,
          );
        }
        const behavior = drawBehavior(group, random);
        allocations.push({
          id: `${application.id}-${String(allocations.length + 1).padStart(3, '0')}`,
          application: application.id,
          queue,
          node,
          resources,
          startedAt: ago(Math.max(0, group.startedMinutesAgo * 60_000 - nth * group.secondsApart * 1000)),
          role: group.role,
          allowPreemption: group.allowPreemption,
          ...(group.priority === undefined ? {} : { priority: group.priority }),
          ...(group.protected === undefined ? {} : { protected: group.protected }),
          ...(group.budgets && { budgets: group.budgets }),
          ...(group.checkpointedMinutesAgo === undefined
            ? {}
            : { checkpointedAt: ago(group.checkpointedMinutesAgo * 60_000) }),
          ...(behavior && { behavior }),
          ...(group.interruptible === undefined ? {} : { interruptible: group.interruptible }),
        });
      }
    });
  });
  return { nodes, applications, allocations, budgets: input.budgets };
}

function refuseUnknownBudgets(named: readonly string[] = [], known: ReadonlySet<string>, path: string): void {
  named.forEach((budget, i) => {
    if (known.has(budget) && named.indexOf(budget) === i) return;
    throw new InputError(
      `${path}[${i}]`,
      known.has(budget)
        ? `names ${budget} twice; write it once`
        : `there is no budget ${budget} in the scenario; list it under budgets of the cluster`,
    );
  });
}

function resourcesOf(written: Record<string, string | number>, path: string): Resources {
  return Object.fromEntries(
    Object.entries(written).map(([type, quantity]) => {
      const amount = parseQuantity(quantity, type, `${path}.${type}`);
      if (amount > BigInt(Number.MAX_SAFE_INTEGER)) {
        throw new InputError(`${path}.${type}`, `${quantity} is more than a scenario can hold`);
      }
      return [type, Number(amount)];
    }),
  );
}
