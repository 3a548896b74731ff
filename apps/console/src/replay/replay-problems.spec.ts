import { describe, expect, it } from '@jest/globals';
import { InputError } from '#contracts';
import { ProblemException, problemOf } from '#platform';
import { problemOfReplay } from './replay-problems.js';
import { ReplayStopped } from './work/replay-work.js';

const remedy = 'Send the same request again: it resumes the replay.';

describe('a replay that ends without a result, for callers that wait for one document', () => {
  it.each([
    ['was stopped by an operator', new ReplayStopped('operator'), 409, 'replay-stopped'],
    ['ends with its process', new ReplayStopped('shutdown'), 503, 'process-ends'],
    ['failed', new Error('the disk is full'), 500, 'replay-failed'],
  ])('%s', (_, error, status, code) => {
    const found = problemOfReplay('r-1', error);
    expect(problemOf(found)).toMatchObject({
      ...{ status, type: `urn:curtail:problem:${code}`, remedy },
      detail: `Replay r-1 has no result: ${error.message}.`,
    });
    expect((found as ProblemException).headers).toEqual(status === 503 ? { 'Retry-After': '5' } : {});
  });

  it('keeps what an error says of itself', () => {
    const own = new InputError('settings.miss', 'it must be a whole percentage');
    expect(problemOfReplay('r-1', own)).toBe(own);
  });
});
