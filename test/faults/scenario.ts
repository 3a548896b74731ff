import type { Resources } from '#contracts';
import type { Chance } from '../support/chance.js';
import type { RemainingAllocation } from './audit/history.js';

/** A queue of the configuration that is made here, as queues.yaml has it. */
interface Queue {
  name: string;
  parent?: boolean;
  resources?: {
    max: Record<string, string>;
    guaranteed?: Record<string, string>;
    'quota.preemption.delay': number;
  };
  queues?: Queue[];
}

interface Quota {
  /** Part of what the queue used at first. */
  maxShare: number;
  delaySeconds: number;
}

/**
 * Configurations for the work that stands in a cluster: at first every quota is what its queue uses, then some queues, inner
 * ones and leaves, are lowered or raised at a time, with delays of some seconds. Guaranteed amounts stay as they are.
 */
export class Quotas {
  private readonly usage = new Map<string, Record<string, number>>();
  private readonly quotas = new Map<string, Quota>();

  constructor(
    remaining: readonly RemainingAllocation[],
    private readonly chance: Chance,
  ) {
    for (const { queue, resources } of remaining) {
      const parts = queue.split('.');
      for (let depth = 2; depth <= parts.length; depth++)
        this.add(parts.slice(0, depth).join('.'), resources);
    }
    for (const path of this.usage.keys()) this.quotas.set(path, { maxShare: 1, delaySeconds: 0 });
  }

  /** Changes about a third of the queues: most go down, some up. */
  change(): void {
    for (const [path, quota] of this.quotas) {
      if (!this.chance.hits(0.35)) continue;
      const down = this.chance.hits(0.8);
      quota.maxShare = down
        ? Math.max(0.55, quota.maxShare - this.chance.between(0.05, 0.2))
        : Math.min(1, quota.maxShare + this.chance.between(0.05, 0.3));
      quota.delaySeconds = Math.round(this.chance.between(1, 5));
      this.quotas.set(path, quota);
    }
  }

  /** The whole configuration as it is now, in the JSON shape of queues.yaml. */
  configuration(): unknown {
    const children = (above: string): Queue[] =>
      [...this.usage.keys()]
        .filter((path) => path.startsWith(`${above}.`) && !path.slice(above.length + 1).includes('.'))
        .map((path) => {
          const queues = children(path);
          return {
            name: path.slice(above.length + 1),
            resources: this.limits(path, queues.length > 0),
            ...(queues.length > 0 ? { queues } : {}),
          };
        });
    return {
      partitions: [
        {
          name: 'default',
          preemption: { quotapreemptionenabled: true },
          queues: [{ name: 'root', queues: children('root') }],
        },
      ],
    };
  }

  private add(path: string, resources: Resources): void {
    const usage = this.usage.get(path) ?? {};
    for (const [type, amount] of Object.entries(resources)) usage[type] = (usage[type] ?? 0) + amount;
    this.usage.set(path, usage);
  }

  /** An inner queue keeps more than its leaves are guaranteed together, so its own floor is the one that is met first. */
  private limits(path: string, inner: boolean): NonNullable<Queue['resources']> {
    const { maxShare, delaySeconds } = this.quotas.get(path)!;
    return {
      max: this.share(path, maxShare),
      guaranteed: this.share(path, inner ? 0.52 : 0.5),
      'quota.preemption.delay': delaySeconds,
    };
  }

  private share(path: string, share: number): Record<string, string> {
    const { memory = 0, vcore = 0 } = this.usage.get(path) ?? {};
    return { memory: `${Math.floor(memory * share)}`, vcore: `${Math.floor(vcore * share)}m` };
  }
}
