import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { replayTimeline, type TimelineResult } from '#enforcement';

interface TimerVector {
  name: string;
  kind: string;
  settings: Record<string, unknown> | null;
  expect: Partial<TimelineResult>;
}

const file = new URL('./quota-decrease.json', import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: TimerVector[] };
const timers = vectors.filter((vector) => vector.kind === 'timer');

/** The vectors follow the design document in these two, docs/reference/policies/quota-decrease.md §13. */
const ofTheDocument = { onRestart: 'restart', afterRun: 'ignore' };

describe('vectors of kind timer', () => {
  it('are all there', () => {
    expect(timers).toHaveLength(24);
  });

  it.each(timers.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
    const result = replayTimeline({ ...vector, settings: { ...ofTheDocument, ...vector.settings } });
    const { dueAtSteps, ...expected } = vector.expect;
    expect(result).toMatchObject(expected);
    // Not compared for a step that started an enforcement: see "about" of the vectors.
    dueAtSteps?.forEach((dueAt, i) => {
      if (result.startedAtSteps[i] !== true) expect([i, result.dueAtSteps[i]]).toEqual([i, dueAt]);
    });
  });
});
