/**
 * How often a property is tried. In every run of the tests the same inputs, so that a change is judged by itself; with
 * CURTAIL_PROPERTY_RUNS so many others each time (docs/development.md).
 */
export function propertyRuns(usual: number): { numRuns: number; seed?: number } {
  const wanted = process.env.CURTAIL_PROPERTY_RUNS;
  return wanted === undefined ? { numRuns: usual, seed: 1 } : { numRuns: Number(wanted) };
}
