import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RepeatedWarning } from '#platform';
import { Sampler } from './samples.js';

describe('a failed sample', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Takes the samples one second apart. @returns the warnings, one for each sample. */
  async function warnedOf(...fails: boolean[]): Promise<string[][]> {
    const entries: string[] = [];
    const log = { warn: (_: object, message: string) => entries.push(message) };
    const failed = new RepeatedWarning(log as never, 'no sample', 0);
    const rest = fails.values();
    const sample = async () => {
      if (rest.next().value) throw new Error('no leader yet');
    };
    const sampler = new Sampler(1000, sample, failed);
    sampler.start();
    const logged: string[][] = [];
    for (const _ of fails) {
      await jest.advanceTimersByTimeAsync(logged.length === 0 ? 0 : 1000);
      logged.push(entries.splice(0));
    }
    await sampler.stop();
    return logged;
  }

  it('is logged if the next one fails as well', async () => {
    expect(await warnedOf(true, true, true)).toEqual([[], ['no sample'], ['no sample']]);
  });

  it('is not logged if the next one succeeds, as after a first start, when brokers have no leaders yet', async () => {
    expect(await warnedOf(true, false, true, false)).toEqual([[], [], [], []]);
  });
});
