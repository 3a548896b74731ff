import { place } from '#clusters';
import type { Resources, SnapshotAllocation, SnapshotApplication } from '#contracts';
import type { TestPartition } from './test-partition.js';

export interface OperationSpec extends Partial<Pick<SnapshotApplication, 'pending' | 'properties'>> {
  id: string;
  queue: string;
  /** Allocations by node; numbered over all nodes from the oldest, `id-01`, `id-02` … */
  on?: Record<string, number>;
  /** Of each allocation. */
  resources?: Resources;
  interruptible?: boolean;
}

const core = { vcore: 1000 };

/** A partition in which fair-share runs, with nodes and operations. */
export class FairSharePartition {
  constructor(readonly of: TestPartition) {}

  /** Puts the pools, each a name or all of a queue, in force, with these settings of the policy; without settings it is switched off. */
  async configure(pools: (string | object)[], settings?: object): Promise<void> {
    const answer = await this.of.submit(this.configuration(pools, settings), '?removeQueues=true');
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  }

  configuration(pools: (string | object)[], settings?: object): object {
    return {
      partitions: [
        {
          name: this.of.name,
          preemption: {
            quotapreemptionenabled: false,
            ...(settings ? { policies: { 'fair-share': settings } } : {}),
          },
          queues: [
            {
              name: 'root',
              queues: pools.map((pool) => (typeof pool === 'string' ? { name: pool } : pool)),
            },
          ],
        },
      ],
    };
  }

  /** @param nodes vcore in cores by node. */
  async cluster(nodes: Record<string, number>, operations: OperationSpec[]): Promise<void> {
    const began = Date.now() - 3_600_000;
    const allocations = operations.flatMap(({ id, queue, on = {}, resources = core, interruptible }) =>
      Object.entries(on)
        .flatMap(([node, count]) => Array.from({ length: count }, () => node))
        .map((node, i): SnapshotAllocation => {
          const startedAt = new Date(began + i * 1000).toISOString();
          const name = `${id}-${String(i + 1).padStart(2, '0')}`;
          const hint = interruptible === undefined ? {} : { interruptible };
          return { id: name, application: id, queue, node, resources, startedAt, ...hint };
        }),
    );
    await place(this.of.system.db, this.of.name, {
      nodes: Object.entries(nodes).map(([id, cores]) => ({ id, capacity: { vcore: cores * 1000 } })),
      applications: operations.map(({ id, queue, pending = [], properties = {} }, i) => ({
        id,
        queue,
        pending,
        properties,
        submittedAt: new Date(began + i).toISOString(),
      })),
      allocations,
    });
  }
}
