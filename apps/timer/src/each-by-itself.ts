/** Receives a failed part; without a partition the step failed as a whole. */
export type PartFailed = (step: string, partition: string | undefined, error: Error) => void;

/**
 * Repeated work in independent steps and partitions: one that fails or takes long does not delay the others. A part
 * that is still under way is not begun a second time.
 */
export class EachByItself {
  private readonly going = new Map<string, Promise<void>>();

  constructor(private readonly failed: PartFailed) {}

  /** Finds the partitions of a step, and works on all of them concurrently. Never rejects. */
  inEach(
    step: string,
    find: () => Promise<readonly string[]>,
    work: (partition: string) => Promise<unknown>,
  ): Promise<void> {
    let begun: Promise<void>[] = [];
    const found = this.begin(step, undefined, async () => {
      begun = (await find()).map((partition) => this.begin(step, partition, () => work(partition)));
    });
    return found.then(async () => {
      await Promise.all(begun);
    });
  }

  /** A step without partitions. Never rejects. */
  whole(step: string, work: () => Promise<unknown>): Promise<void> {
    return this.begin(step, undefined, work);
  }

  /** Resolves once no part is under way. */
  async settled(): Promise<void> {
    while (this.going.size > 0) await Promise.all(this.going.values());
  }

  private begin(step: string, partition: string | undefined, work: () => Promise<unknown>): Promise<void> {
    const name = JSON.stringify([step, partition]);
    const going = this.going.get(name);
    if (going) return going;
    const begun = this.caught(step, partition, work).finally(() => this.going.delete(name));
    this.going.set(name, begun);
    return begun;
  }

  private async caught(step: string, partition: string | undefined, work: () => Promise<unknown>) {
    try {
      await work();
    } catch (error) {
      this.failed(step, partition, error as Error);
    }
  }
}
