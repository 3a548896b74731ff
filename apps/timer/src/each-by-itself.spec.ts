import { describe, expect, it } from '@jest/globals';
import { EachByItself } from './each-by-itself.js';

describe('work in steps and partitions', () => {
  const failures: string[] = [];
  const apart = () => {
    failures.length = 0;
    return new EachByItself((step, partition, { message }) => {
      failures.push(`${step} of ${partition}: ${message}`);
    });
  };

  it('continues in all other partitions and steps when one fails', async () => {
    const parts = apart();
    const done: string[] = [];
    const work = async (partition: string) => {
      if (partition === 'b') throw new Error('no');
      done.push(partition);
    };
    await Promise.all([
      parts.inEach('clocks', async () => ['a', 'b', 'c'], work),
      parts.inEach('rounds', () => Promise.reject(new Error('away')), work),
      parts.whole('counts', async () => done.push('counts')),
    ]);
    expect(done.sort()).toEqual(['a', 'c', 'counts']);
    expect(failures.sort()).toEqual(['clocks of b: no', 'rounds of undefined: away']);
  });

  it('begins nothing a second time that is still under way, and the others again', async () => {
    const parts = apart();
    const begun: string[] = [];
    let end = () => {};
    const work = (partition: string) => {
      begun.push(partition);
      return partition === 'slow' ? new Promise<void>((resolve) => (end = resolve)) : Promise.resolve();
    };
    const sweep = () => parts.inEach('clocks', async () => ['slow', 'quick'], work);
    const first = sweep();
    await new Promise((resolve) => setImmediate(resolve));
    const second = sweep();
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual(['slow', 'quick', 'quick']);
    let settled = false;
    const stopping = parts.settled().then(() => (settled = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toBe(false);
    end();
    await Promise.all([first, second, stopping]);
  });
});
