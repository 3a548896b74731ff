/**
 * Limits the values of a label: after the first `most` different ones every new one counts as "other". Labels from
 * input would otherwise create unlimited series.
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
