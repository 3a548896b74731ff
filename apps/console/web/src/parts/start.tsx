import type { components } from '#api-client';
import { Sentence } from './sentence.tsx';
import { When } from './when.tsx';

type Start = Pick<components['schemas']['Queue'], 'startsAt' | 'waiting'>;

/** When a run that has not begun starts: `in 59 min`, or that this is unknown. */
export function Start({ of: { startsAt } }: { of: Start }) {
  return startsAt ? <When at={startsAt} /> : <>no due time</>;
}

/** What moves it away from its due time, a sentence; nothing where only its delay runs. */
export function StartMoved({ of: { waiting } }: { of: Start }) {
  return waiting && waiting.code !== 'due' ? <Sentence of={waiting.message} /> : null;
}
