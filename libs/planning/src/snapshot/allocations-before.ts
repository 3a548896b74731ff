import type { AllocationsRead, Named } from './allocations-read.js';
import type { ApplicationsRead } from './applications.js';
import { BY_MARK, UNLISTED_ROOT } from './columns.js';
import type { Sizes } from './sizes.js';
import type { TypeNames } from './type-names.js';

interface Held {
  raw: readonly unknown[];
  columns: AllocationsRead;
  sizes: Pick<Sizes, 'count' | 'firstEntry' | 'entryType' | 'entryAmount'>;
  /** By the preliminary numbers of the entries. */
  types: readonly string[];
  applications: Pick<ApplicationsRead, 'ids' | 'priority'>;
  queues: readonly string[];
}

/**
 * The allocations of the snapshot that `readSnapshot` read before, for the next snapshot: for those that are still the same objects it
 * copies what was read, and only the others are checked and read. Neither these objects nor their list may be changed.
 */
export class AllocationsBefore {
  private held: Held | undefined;

  /** Before types get their final numbers. */
  keep(
    raw: readonly unknown[],
    read: AllocationsRead,
    types: TypeNames,
    { ids, priority }: Pick<ApplicationsRead, 'ids' | 'priority'>,
    queues: readonly string[],
  ): void {
    const { sizeCount, firstEntry, entryType, entryAmount } = read;
    const entries = firstEntry[sizeCount]!;
    this.held = {
      raw,
      applications: { ids, priority },
      queues,
      types: types.soFar(),
      columns: read,
      sizes: {
        count: sizeCount,
        firstEntry: firstEntry.slice(0, sizeCount + 1),
        entryType: entryType.slice(0, entries),
        entryAmount: entryAmount.slice(0, entries),
      },
    };
  }

  /** Copies into the columns of the next snapshot; undefined where nothing was read before. */
  copierInto(columns: Held['columns'], sizes: Sizes, types: TypeNames, named: Named): Copier | undefined {
    return this.held && new Copier(this.held, columns, sizes, types, named);
  }
}

const unknown = -3;
const changed = -4;

class Copier {
  /** The next allocation that was read before. */
  private next = 0;
  /** By the numbers before: those in this snapshot. */
  private readonly application: Int32Array;
  private readonly queue: Int32Array;
  private readonly size: Int32Array;

  constructor(
    private readonly from: Held,
    private readonly to: Held['columns'],
    private readonly sizes: Sizes,
    private readonly types: TypeNames,
    private readonly named: Named,
  ) {
    this.application = new Int32Array(from.applications.ids.length).fill(unknown);
    this.queue = new Int32Array(from.queues.length).fill(unknown);
    this.size = new Int32Array(from.sizes.count).fill(unknown);
  }

  /** Copies the allocations from place `i` on; returns the first place that has to be read. */
  copy(raw: readonly unknown[], i: number): number {
    const { from, to } = this;
    const { columns: old } = from;
    let place = i;
    for (; place < raw.length && this.isNext(raw[place]); place++) {
      const n = this.next;
      const application = this.applicationOf(old.application[n]!);
      const queue = this.queueOf(old.queue[n]!);
      if (application === changed || queue === changed || old.namesZero[n] === 1) break;
      this.next++;
      to.application[place] = application;
      to.queue[place] = queue;
      to.size[place] = this.sizeOf(old.size[n]!);
      to.ids[place] = old.ids[n]!;
      to.idHashes[place] = old.idHashes[n]!;
      to.texts.uids[place] = old.texts.uids[n];
      to.texts.nodes[place] = old.texts.nodes[n];
      to.texts.startedAt[place] = old.texts.startedAt[n]!;
      to.priority[place] = old.priority[n]!;
      to.startedAt[place] = old.startedAt[n]!;
      to.role[place] = old.role[n]!;
      to.optedOut[place] = old.optedOut[n]!;
      to.protected[place] = old.protected[n] === BY_MARK ? BY_MARK : 0;
      to.state[place] = old.state[n]!;
      if (old.lastJobStartedAt[n] !== undefined) to.lastJobStartedAt[place] = old.lastJobStartedAt[n];
      if (old.interruptible[n] !== undefined) to.interruptible[place] = old.interruptible[n];
      if (old.budgets[n] !== undefined) to.budgets[place] = old.budgets[n];
      if (old.checkpointedAt[n] !== undefined) to.checkpointedAt[place] = old.checkpointedAt[n];
    }
    return place;
  }

  /** Whether it was read before, behind those that were found already. Both lists are in the order of their ids; in others, little is found. */
  private isNext(allocation: unknown): boolean {
    const { raw, columns } = this.from;
    if (allocation === raw[this.next]) return this.next < raw.length;
    const { id } = (allocation ?? {}) as { id?: unknown };
    if (typeof id !== 'string') return false;
    while (this.next < raw.length && columns.ids[this.next]! < id) this.next++;
    return allocation === raw[this.next];
  }

  /** The priority of an application is that of its allocations, where they have none. */
  private applicationOf(before: number): number {
    const known = this.application[before]!;
    if (known !== unknown) return known;
    const { ids, priority } = this.from.applications;
    const now = this.named.applications.get(ids[before]!);
    const isSame = now !== undefined && Object.is(this.named.priorities[now], priority[before]);
    this.application[before] = isSame ? now : changed;
    return this.application[before]!;
  }

  private queueOf(before: number): number {
    if (before === UNLISTED_ROOT) return this.named.queues.get('root') ?? UNLISTED_ROOT;
    if (this.queue[before] === unknown)
      this.queue[before] = this.named.queues.get(this.from.queues[before]!) ?? changed;
    return this.queue[before]!;
  }

  /** Sizes and types get their numbers as they are met, as in a snapshot that is read. */
  private sizeOf(before: number): number {
    if (this.size[before] === unknown) {
      const { firstEntry, entryType, entryAmount } = this.from.sizes;
      for (let e = firstEntry[before]!; e < firstEntry[before + 1]!; e++)
        this.sizes.add(this.types.metInUse(this.from.types[entryType[e]!]!), entryAmount[e]!);
      this.size[before] = this.sizes.close();
    }
    return this.size[before]!;
  }
}
