/**
 * Lets one run of a partition at a time look at the cluster and kill. A look is worth something only until the next kill:
 * two runs below one queue that look at the same moment would each leave it its guaranteed amount, and together would not.
 *
 * It holds among the runs of this process. Executors in several processes would need a lock that they share.
 */
export class Turns {
  /** By partition: done when the last turn that was asked for is over. */
  private readonly last = new Map<string, Promise<void>>();

  /** Waits for a turn. @returns the end of it, which has to be called, and may be called again. */
  async take(partition: string): Promise<() => void> {
    const before = this.last.get(partition);
    let end = () => {};
    const mine = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.last.set(partition, mine);
    void mine.then(() => {
      if (this.last.get(partition) === mine) this.last.delete(partition);
    });
    await before;
    return end;
  }
}
