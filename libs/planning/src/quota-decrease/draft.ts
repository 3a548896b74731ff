import type { ReadDecreaseSettings } from '#contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { Floors } from './floors.js';
import type { Target } from './target.js';

const TAKEN = 1;
const GIVEN_BACK = 2;
const REFUSED = 4;
const PAST_TARGET = 8;

/** The first candidate that a queue refused for its guaranteed amount of a type, and how many it refused for that type. */
export interface RefusedCandidate {
  readonly allocation: number;
  /** Queue and type: `queue * types.length + type`. */
  readonly cell: number;
  /** The amount of the type that the queue could still give. */
  readonly slack: number;
  count: number;
}

/**
 * A plan in the making: who is taken, what they give, and who was passed over and why. Always true: no floor is broken
 * (docs/reference/policies/quota-decrease.md §6.1), and a type of the target that is once given stays given.
 */
export class Draft {
  readonly floors: Floors;
  /** The amounts that the victims give, by place in the target. */
  readonly claimed: Float64Array;
  /** The amounts that the victims of each leaf give, by queue and place. */
  readonly claimedFrom: Float64Array;
  /** How often a victim was given back. */
  timesGivenBack = 0;
  /** By queue: one for each type, in the order in which they refused first. */
  readonly refusals = new Map<number, RefusedCandidate[]>();
  /** By allocation, of those that a floor refused; null: none was. */
  private cellOf: Int32Array | null = null;
  private slackOf: Float64Array | null = null;
  private readonly marks: Uint8Array;
  /** The first `length` of it: in the order in which they were taken, also who was given back. */
  private order = new Int32Array(1024);
  private length = 0;
  private typesShort = 0;

  constructor(
    readonly snapshot: QueueSnapshot,
    readonly target: Target,
    guaranteedTypes: ReadDecreaseSettings['guaranteedTypes'] = 'all',
  ) {
    this.floors = new Floors(snapshot, guaranteedTypes === 'lowered' ? target : null);
    this.claimed = new Float64Array(target.count);
    this.claimedFrom = new Float64Array(snapshot.queues.count * target.count);
    this.marks = new Uint8Array(snapshot.allocations.count);
    for (const need of target.need) if (need > 0) this.typesShort++;
  }

  /** §6.2 */
  get reached(): boolean {
    return this.typesShort === 0;
  }

  /** Victims in the order in which they were taken; any that was given back is not among them. */
  get victims(): Int32Array {
    const { order, length } = this;
    const victims = new Int32Array(length);
    let count = 0;
    for (let i = 0; i < length; i++) if (this.isTaken(order[i]!)) victims[count++] = order[i]!;
    return victims.subarray(0, count);
  }

  isShort(place: number): boolean {
    return this.claimed[place]! < this.target.need[place]!;
  }

  isTaken(allocation: number): boolean {
    return (this.marks[allocation]! & TAKEN) !== 0;
  }
  wasGivenBack(allocation: number): boolean {
    return (this.marks[allocation]! & GIVEN_BACK) !== 0;
  }
  wasRefused(allocation: number): boolean {
    return (this.marks[allocation]! & REFUSED) !== 0;
  }
  wasPastTarget(allocation: number): boolean {
    return (this.marks[allocation]! & PAST_TARGET) !== 0;
  }

  take(allocation: number): void {
    // Only with a gang: a member that was given back may be taken along.
    if (this.wasGivenBack(allocation)) this.forget(allocation);
    this.marks[allocation]! |= TAKEN;
    this.append(allocation);
    this.floors.take(allocation);
    const { gives, count } = this.target;
    const { size, queue } = this.snapshot.allocations;
    const of = size[allocation]! * count;
    const row = queue[allocation]! * count;
    for (let place = 0; place < count; place++) {
      const amount = gives[of + place]!;
      const short = this.isShort(place);
      this.claimed[place]! += amount;
      this.claimedFrom[row + place]! += amount;
      if (short && !this.isShort(place)) this.typesShort--;
    }
  }

  private append(allocation: number): void {
    if (this.length === this.order.length) {
      const longer = new Int32Array(2 * this.length);
      longer.set(this.order);
      this.order = longer;
    }
    this.order[this.length++] = allocation;
  }

  private forget(allocation: number): void {
    const at = this.order.indexOf(allocation);
    if (at < 0 || at >= this.length) return;
    this.order.copyWithin(at, at + 1, this.length);
    this.length--;
  }

  /** Only for a victim that `isSpare`: no type becomes short by it. */
  giveBack(allocation: number): void {
    this.marks[allocation]! = (this.marks[allocation]! & ~TAKEN) | GIVEN_BACK;
    this.timesGivenBack++;
    this.floors.giveBack(allocation);
    const { gives, count } = this.target;
    const { size, queue } = this.snapshot.allocations;
    const of = size[allocation]! * count;
    const row = queue[allocation]! * count;
    for (let place = 0; place < count; place++) {
      this.claimed[place]! -= gives[of + place]!;
      this.claimedFrom[row + place]! -= gives[of + place]!;
    }
  }

  /** Whether the others still give what is needed in every type of the target that a victim uses. */
  isSpare(allocation: number): boolean {
    const { gives, count, need } = this.target;
    const of = this.snapshot.allocations.size[allocation]! * count;
    for (let place = 0; place < count; place++) {
      const amount = gives[of + place]!;
      if (amount > 0 && this.claimed[place]! - amount < need[place]!) return false;
    }
    return true;
  }

  /** All victims are dropped: `feasibility: "all-or-nothing"`. */
  giveAllBack(): void {
    for (const allocation of this.victims) this.giveBack(allocation);
  }

  /** Of an allocation that `wasRefused`: the queue and type that refused it, and what the queue could still give then. */
  refusalOf(allocation: number): Pick<RefusedCandidate, 'cell' | 'slack'> {
    return { cell: this.cellOf![allocation]!, slack: this.slackOf![allocation]! };
  }

  passOverForFloor(allocation: number, cell: number): void {
    if (this.wasRefused(allocation)) return;
    this.marks[allocation]! |= REFUSED;
    const queue = Math.floor(cell / this.snapshot.types.length);
    const slack = this.floors.slackOf(cell);
    this.cellOf ??= new Int32Array(this.marks.length);
    this.slackOf ??= new Float64Array(this.marks.length);
    this.cellOf[allocation] = cell;
    this.slackOf[allocation] = slack;
    const ofQueue = this.refusals.get(queue);
    const refusal = ofQueue?.find((one) => one.cell === cell);
    if (refusal !== undefined) refusal.count++;
    else if (ofQueue !== undefined) ofQueue.push({ allocation, cell, slack, count: 1 });
    else this.refusals.set(queue, [{ allocation, cell, slack, count: 1 }]);
  }

  passOverForTarget(allocation: number): void {
    this.marks[allocation]! |= PAST_TARGET;
  }
}
