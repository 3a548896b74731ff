/** Collects what happens, and lets a test wait for it. A test that waits too long ends with jest's time limit. */
export class Recorded<T> {
  readonly all: T[] = [];
  private readonly waiting = new Set<() => void>();

  add(one: T): void {
    this.all.push(one);
    for (const check of this.waiting) check();
  }

  /** Passes all present and future entries to `other`. */
  forward(other: Recorded<T>): void {
    let passed = 0;
    const pass = () => {
      while (passed < this.all.length) other.add(this.all[passed++]!);
    };
    this.waiting.add(pass);
    pass();
  }

  /** The first `count`, as soon as there are so many. */
  first(count: number): Promise<T[]> {
    return this.when((all) => all.length >= count).then((all) => all.slice(0, count));
  }

  /** All up to the first one that `isLast`. */
  until(isLast: (one: T) => boolean): Promise<T[]> {
    return this.when((all) => all.some(isLast)).then((all) => all.slice(0, all.findIndex(isLast) + 1));
  }

  /** All there is, as soon as that `holds`. */
  when(holds: (all: readonly T[]) => boolean): Promise<readonly T[]> {
    return new Promise((resolve) => {
      const check = () => {
        if (!holds(this.all)) return;
        this.waiting.delete(check);
        resolve(this.all);
      };
      this.waiting.add(check);
      check();
    });
  }
}
