import type { ReadIntraQueueSettings } from '@curtail/contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { type Amounts, minus, positive } from './amounts.js';
import { Arithmetic } from './arithmetic.js';
import { CandidateOrder } from './candidate-order.js';
import { clusterCapacity } from './cluster.js';
import { type Decimal, decimalOf, timesDown } from './decimal.js';
import { sumPending } from './pending.js';
import { QueueProperties } from './queue-properties.js';
import { readApplicationTimes } from './required.js';
import { sumUsage, type UsageTables } from './usage.js';

/** The state that all queues of one run of the planner share. */
export class Round {
  readonly arithmetic: Arithmetic;
  readonly properties: QueueProperties;
  readonly usage: UsageTables;
  readonly candidateOrder: CandidateOrder;
  readonly pending: Float64Array;
  /** The smallest step of an amount: at least one base unit of each planned type. */
  readonly step: Amounts;
  readonly minimumAllocation: Amounts;
  readonly maxAllowableLimit: Decimal;
  readonly minimumThreshold: Decimal;
  /** Types that run out stop the dealing out: only where several types are planned. */
  readonly conservative: boolean;
  /** The amount that the round may still take, of the whole cluster: docs/reference/policies/intra-queue.md §7. */
  left: Amounts;
  /** By application, its rank in the order of precedence of its queue, once the queue's shares are worked out. */
  readonly rankOf: Int32Array;
  private readonly applicationsOf: readonly (readonly number[])[];

  /** @throws InputError for what the snapshot lacks or has wrong (docs/reference/policies/intra-queue.md §11). */
  constructor(
    readonly snapshot: QueueSnapshot,
    readonly settings: ReadIntraQueueSettings,
  ) {
    this.properties = new QueueProperties(snapshot);
    const lastPreemptedAt = readApplicationTimes(snapshot);
    const arithmetic = new Arithmetic(snapshot, settings.resourceCalculator, clusterCapacity(snapshot));
    this.arithmetic = arithmetic;
    this.usage = sumUsage(snapshot, arithmetic, settings, lastPreemptedAt);
    this.candidateOrder = new CandidateOrder(snapshot);
    this.pending = sumPending(snapshot, arithmetic, this.usage.used);
    const { minimumAllocation } = settings;
    this.minimumAllocation = arithmetic.names.map((name) =>
      Object.hasOwn(minimumAllocation, name) ? minimumAllocation[name]! : 0,
    );
    this.step = this.minimumAllocation.map((amount) => Math.max(1, amount));
    this.maxAllowableLimit = decimalOf(settings.maxAllowableLimit);
    this.minimumThreshold = decimalOf(settings.minimumThreshold);
    this.conservative = settings.conservativeDrf && settings.resourceCalculator === 'dominant';
    const perRound = decimalOf(settings.totalPreemptionPerRound);
    this.left = positive(
      minus(
        arithmetic.cluster.map((amount) => timesDown(amount, perRound)),
        inFlightOf(snapshot, arithmetic),
      ),
    );
    this.rankOf = new Int32Array(snapshot.applications.count);
    const applicationsOf: number[][] = Array.from({ length: snapshot.queues.count }, () => []);
    snapshot.applications.queue.forEach((queue, a) => {
      applicationsOf[queue]!.push(a);
    });
    this.applicationsOf = applicationsOf;
  }

  /** Numbers of the applications of a queue, in no order to rely on. */
  applications(queue: number): readonly number[] {
    return this.applicationsOf[queue]!;
  }

  /** A row of a table of queues by type of the snapshot; what is not set counts as `unset`. */
  limits(table: Float64Array, queue: number, unset: Amounts = this.arithmetic.zero): Amounts {
    const width = this.snapshot.types.length;
    return this.arithmetic.types.map((type, place) => {
      const limit = type < 0 ? -1 : table[queue * width + type]!;
      return limit < 0 ? unset[place]! : limit;
    });
  }
}

/** All that is in flight in the snapshot. */
function inFlightOf({ queues, types }: QueueSnapshot, arithmetic: Arithmetic): Amounts {
  return arithmetic.types.map((type) => {
    let sum = 0;
    for (let q = 0; q < queues.count; q = queues.end[q]!) {
      if (type >= 0) sum += queues.inFlight[q * types.length + type]!;
    }
    return sum;
  });
}
