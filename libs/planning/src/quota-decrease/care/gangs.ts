import type { QueueSnapshot } from '../../snapshot/by-queue.js';
import { isProtected, type Protection } from '../../snapshot/protection.js';
import { isTooYoung } from '../candidates.js';
import type { Care } from './care.js';
import type { GangColumns } from './columns.js';

/** Two members or more that go together or not at all: docs/reference/policies/victim-care.md 7.3. */
export interface Unit {
  readonly application: number;
  /** In the order of their ranks. */
  readonly members: readonly number[];
  /** A member that stands elsewhere, or is no candidate (7.4), with what it is; null = all can go. */
  readonly stays: { readonly member: number; readonly why: string } | null;
  /** The usage of all together: the amount of each type. */
  readonly type: Int32Array;
  readonly amount: Float64Array;
}

/** Which members of gangs stay, and what goes with a candidate: docs/reference/policies/victim-care.md §7. */
export class Gangs {
  /** By application: members that are no victims. */
  private readonly staying: Int32Array;
  /** By leaf: its members of gangs that go together or not at all. */
  private readonly deciding: Int32Array;
  private readonly units = new Map<number, Unit>();

  constructor(
    private readonly snapshot: QueueSnapshot,
    private readonly columns: GangColumns,
    private readonly care: Care,
    private readonly protection: Protection | null,
    private readonly isVictim: (allocation: number) => boolean,
    /** With `gangs: "spare"`. */
    private readonly spares: boolean,
  ) {
    const { first } = columns.members;
    this.staying = new Int32Array(snapshot.applications.count);
    this.deciding = new Int32Array(snapshot.queues.count);
    for (let app = 0; app < this.staying.length; app++) {
      this.staying[app] = first[app + 1]! - first[app]!;
      if (this.decides(app)) this.countDeciding(app, 1);
    }
  }

  /** False where every candidate of a leaf goes without its gang. */
  mayRefuse(leaf: number): boolean {
    return this.deciding[leaf]! > 0;
  }

  /** Whether the members that stay go together or not at all. */
  private decides(app: number): boolean {
    const staying = this.staying[app]!;
    return staying >= (this.spares ? 1 : 2) && staying - 1 < this.columns.minMembers[app]!;
  }

  private countDeciding(app: number, sign: 1 | -1): void {
    const { first, members } = this.columns.members;
    const { queue } = this.snapshot.allocations;
    for (let i = first[app]!, end = first[app + 1]!; i < end; i++)
      this.deciding[queue[members[i]!]!]! += sign;
  }

  /** Whether a member that stays is needed for the minimum (7.2). */
  isNeeded(member: number): boolean {
    const app = this.snapshot.allocations.application[member]!;
    return this.staying[app]! - 1 < this.columns.minMembers[app]!;
  }

  stayingOf(application: number): number {
    return this.staying[application]!;
  }

  minMembersOf(application: number): number {
    return this.columns.minMembers[application]!;
  }

  /** The members that stay, with a member that is needed; null if it is the only one. */
  unitOf(member: number): Unit | null {
    const app = this.snapshot.allocations.application[member]!;
    if (this.staying[app]! < 2) return null;
    let unit = this.units.get(app);
    if (unit === undefined) {
      unit = this.makeUnit(app);
      this.units.set(app, unit);
    }
    return unit;
  }

  /** @param sign 1 for a victim, -1 for one that is given back. */
  count(member: number, sign: 1 | -1): void {
    const app = this.snapshot.allocations.application[member]!;
    const before = this.decides(app);
    this.staying[app]! -= sign;
    const now = this.decides(app);
    if (now !== before) this.countDeciding(app, now ? 1 : -1);
    this.units.delete(app);
  }

  private makeUnit(application: number): Unit {
    const { first, members } = this.columns.members;
    const staying = [...members.subarray(first[application]!, first[application + 1]!)].filter(
      (member) => !this.isVictim(member),
    );
    staying.sort((a, b) => this.compare(a, b));
    return { application, members: staying, stays: this.whoCannotGo(staying), ...this.sumOf(staying) };
  }

  private whoCannotGo(members: readonly number[]): Unit['stays'] {
    const { queue } = this.snapshot.allocations;
    const leaf = queue[members[0]!]!;
    const elsewhere = members.find((member) => queue[member] !== leaf);
    if (elsewhere !== undefined) return { member: elsewhere, why: 'is in another queue' };
    const kept = members.find((member) => isProtected(this.snapshot, this.protection, member));
    if (kept !== undefined) return { member: kept, why: 'is protected' };
    const { youngAfter } = this.care;
    const young =
      youngAfter === null
        ? undefined
        : members.find((member) => isTooYoung(this.snapshot, youngAfter, member));
    return young === undefined ? null : { member: young, why: 'is below the minimum run time' };
  }

  /** Rules 0 to 5, without closest-match and nodes (7.5). */
  private compare(a: number, b: number): number {
    const { role, priority, optedOut, startedAt, ids } = this.snapshot.allocations;
    const at = this.care.lastSaved?.at ?? startedAt;
    return (
      role[a]! - role[b]! ||
      Number(priority[a]! > priority[b]!) - Number(priority[a]! < priority[b]!) ||
      optedOut[a]! - optedOut[b]! ||
      at[b]! - at[a]! ||
      (ids[a]! < ids[b]! ? -1 : 1)
    );
  }

  private sumOf(members: readonly number[]): Pick<Unit, 'type' | 'amount'> {
    const { size, firstEntry, entryType, entryAmount } = this.snapshot.allocations;
    const sums = new Map<number, number>();
    for (const member of members) {
      for (let e = firstEntry[size[member]!]!, end = firstEntry[size[member]! + 1]!; e < end; e++) {
        sums.set(entryType[e]!, (sums.get(entryType[e]!) ?? 0) + entryAmount[e]!);
      }
    }
    const types = [...sums.keys()].sort((a, b) => a - b);
    return { type: Int32Array.from(types), amount: Float64Array.from(types, (type) => sums.get(type)!) };
  }
}
