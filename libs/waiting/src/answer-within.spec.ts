import { describe, expect, it } from '@jest/globals';
import { answerWithin } from './within.js';

describe('an answer within a time', () => {
  it('is returned', async () => {
    expect(await answerWithin(60_000, async () => 'up')).toBe('up');
  });

  it('fails with the error of the server', async () => {
    const refused = Promise.reject(new Error('refused'));
    await expect(answerWithin(60_000, () => refused)).rejects.toThrow('refused');
  });

  it('fails with NoAnswer if the server is silent', async () => {
    await expect(answerWithin(1, () => new Promise(() => {}))).rejects.toMatchObject({
      code: 'no-answer',
      message: 'no answer within 1 ms',
    });
  });
});
