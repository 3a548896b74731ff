import { createHash } from 'node:crypto';
import type { AllocationRole, SnapshotApplication, SnapshotNode } from '#contracts';
import { drawBehavior, SeededRandom } from './behavior.js';
import type { CheckedLoadSpec } from './load-spec.js';
import { idPrefix, type SimulatedAllocation } from './place.js';

const HOUR_MS = 3_600_000;
const PRIORITIES = 10;
const NODE_CAPACITY = { memory: 512_000_000_000, vcore: 128_000 };

/** The same specification and the same `now` give the same work. */
export class GeneratedWork {
  private readonly prefix: string;
  private readonly random: SeededRandom;
  /** Drawn apart: work that only behaves differently is otherwise the same. */
  private readonly behaviors: SeededRandom;
  /** No two incarnations have the same uid, not even across queues or after a load was removed and repeated. */
  private readonly uids: SeededRandom;

  constructor(
    private readonly spec: CheckedLoadSpec,
    private readonly now: Date,
  ) {
    this.prefix = idPrefix(spec.under);
    this.random = new SeededRandom(spec.seed);
    this.behaviors = new SeededRandom(seedOf(`behavior ${spec.seed}`));
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
  allocation(index: number): SimulatedAllocation {
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
      allowPreemption: random.below(1000) >= spec.unwillingPercent * 10,
      ...this.behavior(),
    };
  }

  /** The same number of draws for each allocation, whatever it draws. */
  private behavior(): Pick<SimulatedAllocation, 'priority' | 'behavior'> {
    const { spec, behaviors } = this;
    const { taskPriorities, refusingPercent, slowPercent, refuses = 1, refusalReason } = spec;
    const { leavesAfterSeconds = { from: 30, to: 120 } } = spec;
    if (taskPriorities === undefined && refusingPercent === 0 && slowPercent === 0) return {};
    const priority = taskPriorities?.[behaviors.below(taskPriorities.length)];
    const isRefusing = behaviors.below(1000) < refusingPercent * 10;
    const isSlow = behaviors.below(1000) < slowPercent * 10;
    const slow = drawBehavior({ leavesAfterSeconds }, behaviors);
    const refusing = drawBehavior({ refuses, refusalReason }, behaviors);
    return {
      ...(priority === undefined ? {} : { priority }),
      ...(isRefusing || isSlow ? { behavior: { ...(isSlow && slow), ...(isRefusing && refusing) } } : {}),
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
