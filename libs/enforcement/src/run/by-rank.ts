const pageSize = 256;

/**
 * An immutable map from ranks to values: a change returns a new map and leaves the old one unchanged. The two share all
 * pages but one, since a run may have a hundred thousand victims, and an event for each.
 */
export class ByRank<V> {
  private constructor(
    private readonly pages: readonly (readonly (V | undefined)[] | undefined)[],
    /** The number of ranks with a value. */
    readonly size: number,
  ) {}

  static none<V>(): ByRank<V> {
    return new ByRank<V>([], 0);
  }

  get(rank: number): V | undefined {
    return this.pages[pageOf(rank)]?.[rank % pageSize];
  }

  has(rank: number): boolean {
    return this.get(rank) !== undefined;
  }

  with(rank: number, value: V): ByRank<V> {
    return this.set(rank, value, this.has(rank) ? 0 : 1);
  }

  without(rank: number): ByRank<V> {
    return this.has(rank) ? this.set(rank, undefined, -1) : this;
  }

  /** In their order. */
  *ranks(): Generator<number> {
    for (let nr = 0; nr < this.pages.length; nr++) {
      const page = this.pages[nr] ?? [];
      for (let i = 0; i < page.length; i++) if (page[i] !== undefined) yield nr * pageSize + i;
    }
  }

  /** The value of the lowest rank that has one; undefined if there is none. */
  first(): V | undefined {
    for (const rank of this.size === 0 ? [] : this.ranks()) return this.get(rank);
    return undefined;
  }

  private set(rank: number, value: V | undefined, more: -1 | 0 | 1): ByRank<V> {
    const nr = pageOf(rank);
    const page = [...(this.pages[nr] ?? new Array<V | undefined>(pageSize).fill(undefined))];
    page[rank % pageSize] = value;
    const pages = [...this.pages];
    while (pages.length < nr) pages.push(undefined);
    pages[nr] = page;
    return new ByRank(pages, this.size + more);
  }
}

const pageOf = (rank: number) => Math.floor(rank / pageSize);
