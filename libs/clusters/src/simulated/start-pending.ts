import type { DataSource, EntityManager } from 'typeorm';
import {
  chainFromRoot,
  clusterSize,
  type Resources,
  resolveShares,
  type SnapshotAllocation,
  type SnapshotNode,
} from '#contracts';
import { queuesInForce } from '../planning-view/in-force.js';
import { insertWorkload, lockForWriting } from './place.js';
import {
  dropNominations,
  leavePending,
  type Nominated,
  partitionsWaiting,
  readNominations,
  readSimulatedNodes,
  readUsed,
  readWaiting,
  type WaitingApplication,
} from './work.js';

/** The maximum number of allocations to start at a time; the rest starts at the next check. */
const mostAtOnce = 1000;

/**
 * A minimal scheduler: pending work of applications with the property `startsWhenRoom` starts as soon as a node has room for it and
 * every queue above stays within its max. Nominated applications come first, and their room is reserved for them. Then the order is:
 * higher priority, less memory of the user in the queue, earlier submission. All other applications stay unchanged.
 *
 * @param moment of the database; read only if work is waiting.
 * @returns the number of started allocations.
 */
export async function startPending(db: DataSource, moment: () => Promise<Date>): Promise<number> {
  const partitions = await partitionsWaiting(db);
  if (partitions.length === 0) return 0;
  const now = await moment();
  let started = 0;
  for (const partition of partitions) {
    started += await db.transaction((tx) => startIn(tx, partition, now));
  }
  return started;
}

async function startIn(tx: EntityManager, partition: string, now: Date): Promise<number> {
  await lockForWriting(tx, partition);
  const waiting = await readWaiting(tx, partition);
  const room = await roomOf(tx, partition, now);
  const allocations: SnapshotAllocation[] = [];
  const changed = new Set<WaitingApplication>();
  const start = (
    application: WaitingApplication,
    node: string,
    ask: WaitingApplication['pending'][number],
  ) => {
    room.take(application, node, ask.resources);
    ask.count--;
    changed.add(application);
    allocations.push({
      id: `${application.id}-${now.getTime().toString(36)}-${allocations.length + 1}`,
      application: application.id,
      queue: application.queue,
      node,
      resources: ask.resources,
      startedAt: now.toISOString(),
    });
  };
  await startNominated(tx, partition, { waiting, room, now, start });
  while (allocations.length < mostAtOnce) {
    const next = inOrder(waiting, room)
      .map((application) => ({ application, place: placeFor(application, room) }))
      .find(({ place }) => place !== undefined);
    if (!next?.place) break;
    start(next.application, next.place.node, next.place.ask);
  }
  if (allocations.length === 0) return 0;
  await insertWorkload(tx, partition, { allocations });
  for (const { id, pending } of changed) {
    await leavePending(
      tx,
      partition,
      id,
      pending.filter(({ count }) => count > 0),
    );
  }
  return allocations.length;
}

/** Gives freed room to the applications it was freed for; room that is not free yet stays reserved for them. */
async function startNominated(
  tx: EntityManager,
  partition: string,
  {
    waiting,
    room,
    now,
    start,
  }: {
    waiting: WaitingApplication[];
    room: Room;
    now: Date;
    start: (
      application: WaitingApplication,
      node: string,
      ask: WaitingApplication['pending'][number],
    ) => void;
  },
): Promise<void> {
  const over: string[] = [];
  const held: Nominated[] = [];
  for (const nominated of await readNominations(tx, partition, now)) {
    const { id, node, application, resources } = nominated;
    const found = waiting.find((candidate) => candidate.id === application);
    const ask = found?.pending.find(({ count, resources: asked }) => count > 0 && isSame(asked, resources));
    if (!found || !ask) over.push(id);
    else if (room.hasOn(node, found.queue, resources)) {
      start(found, node, ask);
      over.push(id);
    } else held.push(nominated);
  }
  for (const { node, resources } of held) room.hold(node, resources);
  await dropNominations(tx, over);
}

function isSame(a: Resources, b: Resources): boolean {
  return [...Object.keys(a), ...Object.keys(b)].every((type) => (a[type] ?? 0) === (b[type] ?? 0));
}

function inOrder(waiting: WaitingApplication[], room: Room): WaitingApplication[] {
  const used = new Map(waiting.map((application) => [application, room.usedBy(application)]));
  return [...waiting].sort(
    (a, b) =>
      b.priority - a.priority ||
      (used.get(a) ?? 0) - (used.get(b) ?? 0) ||
      (a.submittedAt?.getTime() ?? 0) - (b.submittedAt?.getTime() ?? 0) ||
      (a.id < b.id ? -1 : 1),
  );
}

function placeFor(
  application: WaitingApplication,
  room: Room,
): { ask: WaitingApplication['pending'][number]; node: string } | undefined {
  for (const ask of application.pending) {
    const node = ask.count > 0 ? room.nodeFor(application.queue, ask.resources) : undefined;
    if (node !== undefined) return { ask, node };
  }
  return undefined;
}

type Amounts = Record<string, number>;

/** Free room on nodes and below the max of queues. */
class Room {
  private readonly users = new Map<string, number>();

  constructor(
    private readonly nodes: Map<string, Amounts>,
    private readonly queues: Map<string, Amounts>,
  ) {}

  /** The first node, by id, with room for the resources, if all queues of the chain have room too. */
  nodeFor(queue: string, resources: Resources): string | undefined {
    if (!chainFromRoot(queue).every((path) => fits(resources, this.queues.get(path)))) return undefined;
    return [...this.nodes].find(([, free]) => fits(resources, free, 0))?.[0];
  }

  hasOn(node: string, queue: string, resources: Resources): boolean {
    const free = this.nodes.get(node);
    return (
      free !== undefined &&
      fits(resources, free, 0) &&
      chainFromRoot(queue).every((path) => fits(resources, this.queues.get(path)))
    );
  }

  /** Reserves the resources on the node. */
  hold(node: string, resources: Resources): void {
    const free = this.nodes.get(node);
    for (const [type, amount] of Object.entries(resources)) if (free) free[type] = (free[type] ?? 0) - amount;
  }

  take(
    of: Pick<WaitingApplication, 'queue' | 'user'>,
    node: string | null,
    resources: Resources,
    count = 1,
  ): void {
    const all = [...chainFromRoot(of.queue).map((path) => this.queues.get(path)), this.nodes.get(node ?? '')];
    for (const free of all) {
      if (!free) continue;
      for (const [type, amount] of Object.entries(resources)) {
        if (type in free) free[type] = (free[type] ?? 0) - amount * count;
      }
    }
    const user = userOf(of);
    this.users.set(user, (this.users.get(user) ?? 0) + (resources.memory ?? 0) * count);
  }

  /** Memory of its user in its queue. */
  usedBy(application: WaitingApplication): number {
    return this.users.get(userOf(application)) ?? 0;
  }
}

async function roomOf(tx: EntityManager, partition: string, now: Date): Promise<Room> {
  const nodes = await readSimulatedNodes(tx, partition);
  const size = clusterSize(nodes);
  const queues = (await queuesInForce(tx, partition)).map((queue) => resolveShares(queue, size));
  const used = await readUsed(tx, partition, now);
  const room = new Room(
    new Map(nodes.map(({ id, capacity }) => [id, { ...capacity }])),
    new Map(queues.flatMap(({ path, max }) => (max === null ? [] : [[path, { ...max }] as const]))),
  );
  for (const { node, resources, count, ...of } of used) room.take(of, node, resources, count);
  return room;
}

const userOf = ({ queue, user }: Pick<WaitingApplication, 'queue' | 'user'>) => `${queue} ${user ?? ''}`;

/** @param unset the free amount of a type that is not named: infinite for a limit, 0 for a node. */
function fits(resources: Resources, free: Amounts | undefined, unset = Number.POSITIVE_INFINITY): boolean {
  return Object.entries(resources).every(([type, amount]) => amount <= (free?.[type] ?? unset));
}

/** Tracks the free room of nodes while work is placed on them. */
export class NodeRoom {
  private readonly free: { id: string; amounts: Record<string, number> }[];

  constructor(nodes: readonly SnapshotNode[]) {
    this.free = nodes.map(({ id, capacity }) => ({ id, amounts: { ...capacity } }));
  }

  /** Places work on a node even if it has no room, which overcommits the node. False if there is no such node. */
  force(id: string, resources: Resources): boolean {
    const node = this.free.find((each) => each.id === id);
    if (!node) return false;
    for (const [type, amount] of Object.entries(resources))
      node.amounts[type] = (node.amounts[type] ?? 0) - amount;
    return true;
  }

  /** The node with the most free memory that has room, the first of equals; undefined if none has. */
  take(resources: Resources): string | undefined {
    const fits = this.free.filter(({ amounts }) =>
      Object.entries(resources).every(([type, amount]) => (amounts[type] ?? 0) >= amount),
    );
    const [first, ...others] = fits;
    if (!first) return undefined;
    const best = others.reduce(
      (most, node) => ((node.amounts.memory ?? 0) > (most.amounts.memory ?? 0) ? node : most),
      first,
    );
    for (const [type, amount] of Object.entries(resources))
      best.amounts[type] = (best.amounts[type] ?? 0) - amount;
    return best.id;
  }
}
