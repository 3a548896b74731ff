/** Does work in the order in which it comes, a few at the same time. Nothing of it may throw. */
export class InTurns {
  private readonly waiting: (() => Promise<void>)[] = [];
  private underWay = 0;

  constructor(private readonly atOnce: number) {}

  add(work: () => Promise<void>): void {
    this.waiting.push(work);
    if (this.underWay < this.atOnce) void this.goOn();
  }

  private async goOn(): Promise<void> {
    this.underWay++;
    for (let work = this.waiting.shift(); work !== undefined; work = this.waiting.shift()) await work();
    this.underWay--;
  }
}
