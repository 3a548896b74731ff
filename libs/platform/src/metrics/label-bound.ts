/**
 * Keeps the values of a label few: after the first `most` different ones every new one is counted as "other". Labels
 * that come from input would otherwise grow the series without end.
 */
export class LabelBound {
  private readonly seen = new Set<string>();

  constructor(private readonly most: number) {}

  of(value: string): string {
    if (this.seen.has(value)) return value;
    if (this.seen.size >= this.most) return 'other';
    this.seen.add(value);
    return value;
  }
}
