/** A value at a time, in seconds. */
export interface Point {
  at: number;
  value: number;
}

/** The line through points that is nearest to them, and how far they are from it. */
export function slopeOf(points: readonly Point[]): { perSecond: number; noise: number } {
  const mean = (values: number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const [middle, level] = [mean(points.map(({ at }) => at)), mean(points.map(({ value }) => value))];
  const spread = points.reduce((sum, { at }) => sum + (at - middle) ** 2, 0);
  const perSecond =
    spread === 0
      ? 0
      : points.reduce((sum, { at, value }) => sum + (at - middle) * (value - level), 0) / spread;
  const off = points.map(({ at, value }) => (value - level - perSecond * (at - middle)) ** 2);
  return { perSecond, noise: Math.sqrt(mean(off)) };
}
