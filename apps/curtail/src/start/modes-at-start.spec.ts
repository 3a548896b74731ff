import { describe, expect, it } from '@jest/globals';
import { modesAtStart } from './banner.js';

const blue = { partition: 'blue', mode: 'enforce' as const };
const red = { partition: 'red', mode: 'observe' as const };

describe('what a start says about modes', () => {
  it('names the stored modes that do not count under --mode observe, however many there are', () => {
    const limited = { mode: 'observe' as const, defaultMode: 'enforce' as const };
    expect(modesAtStart([blue, red], limited)).toMatchObject({
      shown: 'observe',
      sentences: [
        'The mode enforce of partition blue does not count: --mode observe (CURTAIL_MODE) overrides it, and nothing is evicted.',
      ],
    });
    const many = Array.from({ length: 1000 }, (_, i) => ({ ...blue, partition: `p${i}` }));
    const { sentences } = modesAtStart(many, limited);
    expect(sentences.join().length).toBeLessThan(250);
    expect(sentences[0]).toMatch(/partitions p0, .* and 99\d more does not count/);
    expect(modesAtStart([red], limited).sentences).toEqual([]);
  });

  it('names the partitions that are enforced where observe is only the default', () => {
    const shown = modesAtStart([blue, red], { defaultMode: 'observe' });
    expect(shown.shown).toBe('observe by default');
    expect(shown.sentences).toEqual([
      'Victims are evicted in partition blue: the mode enforce is set there.',
    ]);
    expect(shown.next).toBeUndefined();
    expect(modesAtStart([red], { defaultMode: 'observe' }).next).toContain('curtail mode enforce');
  });

  it('names the partitions that are only observed where victims are evicted', () => {
    expect(modesAtStart([blue, red], { defaultMode: 'enforce' })).toEqual({
      shown: 'enforce',
      sentences: ['Nothing is evicted in partition red: the mode observe is set there.'],
      next: undefined,
    });
  });
});
