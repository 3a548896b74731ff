import type { VictimCause } from '#contracts';
import { type Group, Groups } from './groups.js';
import { type Judged, shareStatusOf } from './judge.js';
import type { ShareStatus } from './share-status.js';
import { NON_STARVING, STARVING } from './snapshot/columns.js';
import { StartOrder } from './start-order.js';

export interface DraftVictim {
  readonly allocation: number;
  readonly cause: VictimCause;
  /** The operation that is served, -1 where none is. */
  readonly preemptedFor: number;
  /** Its group when it was chosen. */
  readonly group: Group;
}

export interface DraftStart {
  readonly ask: number;
  readonly node: number;
  readonly victims: readonly number[];
}

/** Is notified of what a decision changes, so that what was worked out before it is worked out again. */
export interface Follower {
  /** The operation has another place in the order of starts. */
  moved(operation: number): void;
  /** Allocations of the operation that are newer than this one have changed their group. */
  regrouped(operation: number, newerThan: number): void;
}

const NO_FOLLOWER: Follower = { moved() {}, regrouped() {} };

/**
 * A plan in the making. Fair shares and settings stay as they were found; usage, free room, groups, states and what is pending
 * follow every decision (docs/reference/policies/fair-share.md §11).
 */
export class Draft {
  readonly usage: Float64Array;
  /** The count that each ask still waits for, and all asks of an operation. */
  readonly waiting: Float64Array;
  readonly pending: Float64Array;
  /** Free room by node and type; -Infinity where the capacity does not name the type. */
  readonly free: Float64Array;
  readonly gone: Uint8Array;
  /** The state of each element; one that was normal once does not starve any more in this plan. */
  readonly state: Uint8Array;
  /** How many allocations each operation has lost. */
  readonly lost: Int32Array;
  readonly shareStatus: ShareStatus;
  readonly groups: Groups;
  readonly order: StartOrder;
  /** Nodes where an allocation starts in the place of victims. */
  readonly used: Uint8Array;
  readonly victims: DraftVictim[] = [];
  readonly starts: DraftStart[] = [];
  follower: Follower = NO_FOLLOWER;

  constructor(readonly judged: Judged) {
    const { snapshot, settings, entitlement, effective, places, starvation } = judged;
    this.usage = snapshot.elements.usage.slice();
    this.waiting = snapshot.asks.waiting.slice();
    this.pending = snapshot.operations.pending.slice();
    this.gone = new Uint8Array(snapshot.allocations.count);
    this.state = starvation.state.slice();
    this.lost = new Int32Array(snapshot.operations.count);
    this.used = new Uint8Array(snapshot.nodes.count);
    this.free = freeRoom(judged);
    this.shareStatus = shareStatusOf(snapshot, settings, entitlement, this);
    this.groups = new Groups(snapshot, settings, entitlement, this.shareStatus, effective, this.gone);
    this.order = new StartOrder(snapshot, settings, this.shareStatus, places, starvation.starvingSince);
  }

  /**
   * §8.2. The amount that an operation gets in this plan never raises it, though a pool above may starve harder than it did itself.
   */
  priority(operation: number): number {
    const now = this.priorityIn(this.state, operation);
    return now === NON_STARVING
      ? now
      : Math.min(now, this.priorityIn(this.judged.starvation.state, operation));
  }

  /** Its own state, else that of the nearest pool above it that starves. */
  private priorityIn(state: Uint8Array, operation: number): number {
    const { snapshot, settings } = this.judged;
    let element = snapshot.pools.count + operation;
    if (settings.schedulingPreemptionPriorityScope === 'operation_only') return state[element]!;
    while (element > 0 && state[element] === NON_STARVING) element = snapshot.elements.parent[element]!;
    return state[element]!;
  }

  /** Whether it starved when the plan was begun: nothing is taken from it, even if it may get what it lacked (§10). */
  starvedAtFirst(operation: number): boolean {
    const { snapshot, starvation } = this.judged;
    return starvation.state[snapshot.pools.count + operation]! >= STARVING;
  }

  /** @param group its group when it was chosen. */
  take(allocation: number, cause: VictimCause, preemptedFor: number, group: Group): void {
    this.victims.push({ allocation, cause, preemptedFor, group });
    this.release(allocation);
  }

  /** Updates what depends on an allocation that goes. */
  release(allocation: number): void {
    this.change(allocation, -1);
    const operation = this.judged.snapshot.allocations.operation[allocation]!;
    if (this.groups.leave(allocation)) this.follower.regrouped(operation, allocation);
    this.order.refresh(operation, (moved) => this.follower.moved(moved));
  }

  /** Updates what depends on one that had gone and stays after all. */
  restore(allocation: number): void {
    this.change(allocation, 1);
    this.groups.comeBack(allocation);
    const operation = this.judged.snapshot.allocations.operation[allocation]!;
    this.order.refresh(operation, (moved) => this.follower.moved(moved));
  }

  private change(allocation: number, sign: 1 | -1): void {
    const { allocations, elements, pools, types } = this.judged.snapshot;
    const width = types.length;
    const operation = allocations.operation[allocation]!;
    this.gone[allocation] = sign < 0 ? 1 : 0;
    this.lost[operation]! -= sign;
    const row = allocation * width;
    const node = allocations.node[allocation]! * width;
    for (let type = 0; type < width && node >= 0; type++) {
      this.free[node + type]! -= sign * allocations.size[row + type]!;
    }
    for (let element = pools.count + operation; element >= 0; element = elements.parent[element]!) {
      for (let type = 0; type < width; type++) {
        this.usage[element * width + type]! += sign * allocations.size[row + type]!;
      }
    }
  }

  /** Whether an operation and all pools above it have room for one more of an ask under their limits. */
  limitsAllow(ask: number): boolean {
    const { asks, elements, pools, types } = this.judged.snapshot;
    const width = types.length;
    const size = asks.kind[ask]! * width;
    let element = pools.count + asks.operation[ask]!;
    for (; element >= 0; element = elements.parent[element]!) {
      if (elements.limited[element] === 0) continue;
      for (let type = 0; type < width; type++) {
        const asked = asks.size[size + type]!;
        const cell = element * width + type;
        const limit = elements.limit[cell]!;
        if (asked === 0 || limit < 0) continue;
        if (this.usage[cell]! + asked - limit > elements.limitTolerance[cell]!) return false;
      }
    }
    return true;
  }

  /** Starts one allocation of an ask on a node. */
  start(ask: number, node: number): void {
    const { asks, elements, pools, types } = this.judged.snapshot;
    const width = types.length;
    const operation = asks.operation[ask]!;
    const size = asks.kind[ask]! * width;
    this.waiting[ask]!--;
    this.pending[operation]!--;
    for (let type = 0; type < width; type++) this.free[node * width + type]! -= asks.size[size + type]!;
    const own = pools.count + operation;
    for (let element = own; element >= 0; element = elements.parent[element]!) {
      for (let type = 0; type < width; type++) this.usage[element * width + type]! += asks.size[size + type]!;
      if (this.state[element] === NON_STARVING || this.shareStatus.isBelow(element)) continue;
      this.state[element] = NON_STARVING;
    }
    this.order.refresh(operation, (moved) => this.follower.moved(moved));
  }
}

function freeRoom({ snapshot }: Judged): Float64Array {
  const { nodes, allocations, types } = snapshot;
  const width = types.length;
  const free = nodes.capacity.map((amount) => (amount < 0 ? Number.NEGATIVE_INFINITY : amount));
  for (let a = 0; a < allocations.count; a++) {
    const node = allocations.node[a]!;
    if (node < 0 || allocations.running[a] === 0) continue;
    for (let type = 0; type < width; type++)
      free[node * width + type]! -= allocations.size[a * width + type]!;
  }
  return free;
}
