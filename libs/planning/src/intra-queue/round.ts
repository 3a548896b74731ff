import { type Fraction, fractionOfNumber, InputError, type ReadIntraQueueSettings } from '#contracts';
import { numbersTo } from '../groups-of.js';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { StableSort } from '../stable-sort.js';
import { type AmountTable, minus, positive, type TypeAmounts, timesDown } from './amounts.js';
import { Arithmetic } from './arithmetic.js';
import { type InQueueSnapshot, inQueueSnapshotOf } from './in-queue-snapshot.js';
import { MoveList } from './move-list.js';
import {
  type ApplicationOrder,
  applicationOrderOf,
  type CandidateOrder,
  candidateOrderOf,
} from './orders.js';
import { QueueProperties } from './queue-properties.js';
import { sumPending, sumUserUsage, type UsageTables } from './usage.js';

/** The state that all queues of one run of the planner share. */
export class InQueueRound {
  readonly snapshot: InQueueSnapshot;
  readonly arithmetic: Arithmetic;
  readonly properties: QueueProperties;
  readonly usage: UsageTables;
  readonly candidateOrder: CandidateOrder;
  /** By application, all that it waits for. */
  readonly pending: AmountTable;
  readonly applicationOrder: ApplicationOrder;
  readonly applicationSort: StableSort;
  /** The smallest step of an amount: at least one base unit of each planned type. */
  readonly step: TypeAmounts;
  readonly minimumAllocation: TypeAmounts;
  readonly maxAllowableLimit: Fraction;
  readonly minimumThreshold: Fraction;
  /** Types that run out stop the dealing out: only where several types are planned. */
  readonly conservative: boolean;
  /** The amount that the round may still take, of the whole cluster: docs/reference/policies/intra-queue.md §7. */
  readonly left: TypeAmounts;
  /** By application, its place among the users of its queue, once the queue is read. */
  readonly userOf: Int32Array;
  /** By application, its rank in the order of precedence of its queue, once the queue's shares are worked out. */
  readonly rankOf: Int32Array;
  /**
   * Written and read by one queue after the other: the place of each user among those of the queue, what applications are sorted by,
   * 1 for those that stand in for others of their priority, by allocation the list it is in, and who gives to whom.
   */
  readonly placeOfUser: Int32Array;
  readonly sortKey: Float64Array;
  readonly standsIn: Uint8Array;
  readonly listOf: Int32Array;
  readonly moveList = new MoveList();

  /** @throws InputError for what the snapshot lacks or has wrong (docs/reference/policies/intra-queue.md §11). */
  constructor(
    given: QueueSnapshot,
    readonly settings: ReadIntraQueueSettings,
  ) {
    this.properties = new QueueProperties(given);
    const snapshot = inQueueSnapshotOf(given);
    this.snapshot = snapshot;
    const arithmetic = new Arithmetic(snapshot, settings.resourceCalculator, clusterCapacity(snapshot));
    this.arithmetic = arithmetic;
    this.usage = sumUserUsage(snapshot, arithmetic, settings);
    this.candidateOrder = candidateOrderOf(snapshot);
    this.pending = sumPending(snapshot, arithmetic, this.usage.used);
    const { minimumAllocation } = settings;
    this.minimumAllocation = Float64Array.from(arithmetic.names, (name) =>
      Object.hasOwn(minimumAllocation, name) ? minimumAllocation[name]! : 0,
    );
    this.step = this.minimumAllocation.map((amount) => Math.max(1, amount));
    this.maxAllowableLimit = fractionOfNumber(settings.maxAllowableLimit);
    this.minimumThreshold = fractionOfNumber(settings.minimumThreshold);
    this.conservative = settings.conservativeDrf && settings.resourceCalculator === 'dominant';
    const perRound = fractionOfNumber(settings.totalPreemptionPerRound);
    this.left = positive(
      minus(
        arithmetic.cluster.map((amount) => timesDown(amount, perRound)),
        inFlightOf(snapshot, arithmetic),
      ),
    );
    const { count } = snapshot.applications;
    this.applicationOrder = applicationOrderOf(snapshot);
    this.applicationSort = new StableSort();
    this.userOf = new Int32Array(count);
    this.placeOfUser = new Int32Array(this.applicationOrder.userCount);
    this.rankOf = new Int32Array(count);
    this.sortKey = new Float64Array(count);
    this.standsIn = new Uint8Array(count);
    this.listOf = new Int32Array(snapshot.allocations.count);
  }

  /** Numbers of the applications of a queue: the earlier submitted first, then by id. */
  applications(queue: number): Int32Array {
    const { firstApplication } = this.snapshot;
    return numbersTo(firstApplication[queue + 1]!, firstApplication[queue]!);
  }

  /** A row of a table of queues by type of the snapshot; what is not set counts as `unset`. */
  limits(table: Float64Array, queue: number, unset: TypeAmounts = this.arithmetic.zero): TypeAmounts {
    const width = this.snapshot.types.length;
    return Float64Array.from(this.arithmetic.types, (type, place) => {
      const limit = type < 0 ? -1 : table[queue * width + type]!;
      return limit < 0 ? unset[place]! : limit;
    });
  }
}

/** All that is in flight in the snapshot. */
function inFlightOf({ queues, types }: QueueSnapshot, arithmetic: Arithmetic): TypeAmounts {
  return Float64Array.from(arithmetic.types, (type) => {
    let sum = 0;
    for (let q = 0; q < queues.count; q = queues.end[q]!) {
      if (type >= 0) sum += queues.inFlight[q * types.length + type]!;
    }
    return sum;
  });
}

/**
 * The capacity of the cluster, by type of the snapshot: the nodes together; where no node names a capacity the max of the top
 * queues, of one without a max what it is guaranteed. docs/reference/policies/intra-queue.md §1.
 */
function clusterCapacity({ capacity, queues, types }: QueueSnapshot): Float64Array {
  const cluster = capacity ?? new Float64Array(types.length);
  if (capacity === null) {
    for (let q = 0; q < queues.count; q = queues.end[q]!) {
      const limits = setSomewhere(queues.max, q, types.length) ? queues.max : queues.guaranteed;
      for (let type = 0; type < types.length; type++) {
        cluster[type]! += Math.max(0, limits[q * types.length + type]!);
      }
    }
  }
  const beyond = cluster.findIndex((amount) => amount > Number.MAX_SAFE_INTEGER);
  if (beyond < 0) return cluster;
  throw new InputError(
    capacity === null ? 'queues' : 'nodes',
    `the cluster has more ${types[beyond]} than ${Number.MAX_SAFE_INTEGER} (2^53 - 1); it must stay below`,
  );
}

function setSomewhere(table: Float64Array, queue: number, width: number): boolean {
  return table.subarray(queue * width, (queue + 1) * width).some((limit) => limit >= 0);
}
