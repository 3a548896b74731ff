/** Collects what happens, and lets a test wait for it. A test that waits in vain ends with jest's time limit. */
export class Heard<T> {
  readonly all: T[] = [];
  private readonly waiting = new Set<() => void>();

  add(one: T): void {
    this.all.push(one);
    for (const check of this.waiting) check();
  }

  /** Tells `other` all there is and all that comes. */
  forward(other: Heard<T>): void {
    let told = 0;
    const tell = () => {
      while (told < this.all.length) other.add(this.all[told++]!);
    };
    this.waiting.add(tell);
    tell();
  }

  /** The first `count`, as soon as there are so many. */
  first(count: number): Promise<T[]> {
    return this.when(() => this.all.length >= count).then(() => this.all.slice(0, count));
  }

  /** All up to the first one that `isLast`. */
  until(isLast: (one: T) => boolean): Promise<T[]> {
    return this.when(() => this.all.some(isLast)).then(() =>
      this.all.slice(0, this.all.findIndex(isLast) + 1),
    );
  }

  private when(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!holds()) return;
        this.waiting.delete(check);
        resolve();
      };
      this.waiting.add(check);
      check();
    });
  }
}
