/** Does work in its order, a few items at the same time. The work must not throw. */
export class InTurns {
  private readonly waiting: (() => Promise<void>)[] = [];
  private underWay = 0;

  constructor(private readonly atOnce: number) {}

  add(work: () => Promise<void>): void {
    this.waiting.push(work);
    if (this.underWay < this.atOnce) void this.drain();
  }

  private async drain(): Promise<void> {
    this.underWay++;
    for (let work = this.waiting.shift(); work !== undefined; work = this.waiting.shift()) await work();
    this.underWay--;
  }
}
