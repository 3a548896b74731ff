import type { Workload } from '#clusters';
import type { Chance } from '../../support/chance.js';
import type { RemainingAllocation } from '../audit/history.js';

/** A lowered max, numbered where it was made. A queue's max only goes down, so queue and max identify it. */
export interface Decrease {
  number: number;
  queue: string;
  /** Of the only resource type there is. */
  max: number;
}

interface Quota {
  max: number;
  least: number;
  guaranteed: number;
  delayMs: number;
}

export interface Shape {
  groups: number;
  leavesPerGroup: number;
  /** One of so many groups has a guaranteed amount. */
  guaranteedEvery: number;
  /** Least and most share of what a group uses that is guaranteed to it. */
  guaranteedShare: [number, number];
  /** Of a quota that is lowered: least and most. */
  delayMs: [number, number];
}

export const usualShape: Shape = {
  groups: 12,
  leavesPerGroup: 10,
  guaranteedEvery: 2,
  guaranteedShare: [0.85, 0.97],
  delayMs: [100, 1500],
};
const allocationsPerLeaf = 8;
const leastOfLeaf = 3;

/**
 * Some hundred queues of one scenario, in groups, full of work to the brim. Some groups have a guaranteed amount that
 * is soon reached when their leaves are lowered: runs of several leaves, carried out by several executors, have to stop there
 * together.
 */
export class Tree {
  private readonly quotas = new Map<string, Quota>();
  private decreases = 0;

  constructor(
    readonly name: string,
    private readonly chance: Chance,
    private readonly shape = usualShape,
  ) {
    const { groups, leavesPerGroup, guaranteedEvery, guaranteedShare } = shape;
    for (let group = 0; group < groups; group++) {
      const used = leavesPerGroup * allocationsPerLeaf;
      const guaranteed =
        group % guaranteedEvery === 0 ? Math.round(used * chance.between(...guaranteedShare)) : 0;
      const path = `root.${name}.g${group}`;
      this.quotas.set(path, { max: used, least: Math.max(guaranteed + 1, used / 2), guaranteed, delayMs: 0 });
      for (let leaf = 0; leaf < leavesPerGroup; leaf++) {
        const quota = { max: allocationsPerLeaf, least: leastOfLeaf, guaranteed: 2, delayMs: 0 };
        this.quotas.set(`${path}.q${leaf}`, quota);
      }
    }
  }

  /** Every leaf full: one unit an allocation. */
  work(): Workload & { remaining: RemainingAllocation[] } {
    const leaves = [...this.quotas.keys()].filter((path) => path.split('.').length === 4);
    const applications = leaves.map((queue) => ({ id: `${queue}/app`, queue }));
    const allocations = leaves.flatMap((queue) =>
      Array.from({ length: allocationsPerLeaf }, (_, index) => ({
        id: `${queue}/app/${index}`,
        application: `${queue}/app`,
        queue,
        resources: { memory: 1 },
        startedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString(),
      })),
    );
    const remaining = allocations.map(({ id, queue, resources }) => ({ id, uid: '', queue, resources }));
    return { applications, allocations, remaining };
  }

  /** Fewer queues than that can still be lowered. */
  hasFewerThan(open: number): boolean {
    return this.open().length < open;
  }

  /** Lowers some queues that can still be lowered; fewer than asked for, and none in the end, when all are at their least. */
  lower(count: number): Decrease[] {
    const lowered: Decrease[] = [];
    const open = this.open();
    for (let left = count; left > 0 && open.length > 0; left--) {
      const [[queue, quota]] = open.splice(Math.floor(this.chance.between(0, open.length)), 1) as [
        [string, Quota],
      ];
      quota.max = Math.max(quota.least, quota.max - Math.round(this.chance.between(1, 2)));
      quota.delayMs = Math.round(this.chance.between(...this.shape.delayMs));
      this.decreases += 1;
      lowered.push({ number: this.decreases, queue, max: quota.max });
    }
    return lowered;
  }

  /** The queue below root, as queues.yaml has it. */
  configuration(): object {
    return { name: this.name, parent: true, queues: this.below(`root.${this.name}`) };
  }

  private open(): [string, Quota][] {
    return [...this.quotas].filter(([, { max, least }]) => max > least);
  }

  private below(above: string): object[] {
    return [...this.quotas]
      .filter(([path]) => path.startsWith(`${above}.`) && !path.slice(above.length + 1).includes('.'))
      .map(([path, { max, guaranteed, delayMs }]) => {
        const queues = this.below(path);
        return {
          name: path.slice(above.length + 1),
          resources: {
            max: { memory: String(max) },
            ...(guaranteed > 0 ? { guaranteed: { memory: String(guaranteed) } } : {}),
          },
          properties: { 'quota.preemption.delay': `${delayMs}ms` },
          ...(queues.length > 0 ? { parent: true, queues } : {}),
        };
      });
  }
}
