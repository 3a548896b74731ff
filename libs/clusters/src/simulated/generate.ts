import { createHash } from 'node:crypto';
import type {
  AllocationRole,
  SnapshotAllocation,
  SnapshotApplication,
  SnapshotNode,
} from '@curtail/contracts';
import type { CheckedLoadSpec } from './load-spec.js';
import { idPrefix } from './queue-path.js';
import { SeededRandom } from './random.js';

const HOUR_MS = 3_600_000;
const PRIORITIES = 10;
const NODE_CAPACITY = { memory: 512_000_000_000, vcore: 128_000 };

/** The same specification and the same `now` give the same work. */
export class GeneratedWork {
  private readonly prefix: string;
  private readonly random: SeededRandom;
  /** No two incarnations have the same uid, not even across queues or after a load was removed and repeated. */
  private readonly uids: SeededRandom;

  constructor(
    private readonly spec: CheckedLoadSpec,
    private readonly now: Date,
  ) {
    this.prefix = idPrefix(spec.under);
    this.random = new SeededRandom(spec.seed);
    this.uids = new SeededRandom(seedOf(`${spec.under} ${spec.seed} ${now.getTime()}`));
  }

  node(index: number): SnapshotNode {
    return { id: `${this.prefix}node-${padded(index)}`, capacity: NODE_CAPACITY };
  }

  application(index: number): SnapshotApplication {
    return {
      id: this.applicationId(index),
      queue: this.queueOf(index),
      user: `user-${this.random.below(this.spec.users)}`,
      priority: this.random.below(PRIORITIES),
      submittedAt: new Date(this.now.getTime() - this.spec.startedWithinHours * HOUR_MS).toISOString(),
    };
  }

  /** Applications take turns, so the first `applications` allocations are the first of each. */
  allocation(index: number): SnapshotAllocation {
    const { spec, random } = this;
    const application = index % spec.applications;
    return {
      id: `${this.prefix}allocation-${padded(index)}`,
      uid: this.uids.uuid(),
      application: this.applicationId(application),
      queue: this.queueOf(application),
      ...(spec.nodes === 0 ? {} : { node: `${this.prefix}node-${padded(random.below(spec.nodes))}` }),
      resources: spec.resources[random.below(spec.resources.length)] ?? {},
      startedAt: new Date(
        this.now.getTime() - random.below(Math.floor(spec.startedWithinHours * HOUR_MS) + 1),
      ).toISOString(),
      role: this.role(index),
      allowPreemption: random.below(10) > 0,
    };
  }

  private role(index: number): AllocationRole {
    if (this.spec.originators && index < this.spec.applications) return 'originator';
    return this.random.below(10_000) < this.spec.daemonsPercent * 100 ? 'daemon' : 'task';
  }

  private applicationId(index: number): string {
    return `${this.prefix}application-${padded(index)}`;
  }

  /** Applications take turns over the leaves; the leaves are spread evenly over `depth` levels. */
  private queueOf(application: number): string {
    const { queues, depth, under } = this.spec;
    const leaf = application % queues;
    const width = Math.ceil(queues ** (1 / depth));
    const path = [`q${leaf}`];
    for (let level = 1, rest = Math.floor(leaf / width); level < depth; level++) {
      path.unshift(`g${rest % width}`);
      rest = Math.floor(rest / width);
    }
    return [under, ...path].join('.');
  }
}

function seedOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32LE();
}

/** Numbers of one width, so that the order of ids is the order of numbers. */
function padded(index: number): string {
  return String(index).padStart(7, '0');
}
