import { describe, expect, it } from '@jest/globals';
import { OffsetCommits } from './offset-commits.js';

/** The steps in their order: `mark a,b` or `commit topic/partition=offset …`. */
function begin(fails: { commit?: boolean; mark?: boolean } = {}) {
  const done: string[] = [];
  const refused: Error[] = [];
  const commits = new OffsetCommits({
    mark: async (events) => {
      if (fails.mark) throw new Error('no database');
      done.push(`mark ${events.map(({ id }) => id).join()}`);
    },
    onRefused: (error) => refused.push(error),
  });
  const handled = (partition: number, offset: number) =>
    commits.handled(
      {
        batch: { topic: 't', partition } as never,
        commitOffsetsIfNecessary: async (offsets) => {
          if (fails.commit) throw new Error('no broker');
          const all = offsets?.topics.flatMap(({ topic, partitions }) =>
            partitions.map((one) => `${topic}/${one.partition}=${one.offset}`),
          );
          done.push(`commit ${all?.join(' ')}`);
        },
      },
      String(offset),
    );
  return { commits, handled, done, refused, fails };
}

const event = (id: string) => ({ id, topic: 'curtail.quota', transactionId: '1', position: '1' }) as const;
const soon = () => new Promise((resolve) => setImmediate(resolve));

describe('the commits of offsets', () => {
  it('commits the first at once, and the next ones together', async () => {
    const { commits, handled, done } = begin();
    await handled(0, 4);
    await handled(0, 5);
    await handled(1, 7);
    expect(done).toEqual(['commit t/0=5']);
    commits.stop();
    await soon();
    expect(done).toEqual(['commit t/0=5', 'commit t/0=6 t/1=8']);
  });

  it('commits the remaining ones by itself', async () => {
    const { commits, handled, done } = begin();
    await handled(0, 4);
    await handled(0, 5);
    while (done.length < 2) await soon();
    expect(done).toEqual(['commit t/0=5', 'commit t/0=6']);
    commits.stop();
  });

  it('marks skipped events before it commits the offset after them', async () => {
    const { commits, handled, done } = begin();
    commits.passOver([event('a'), event('b')]);
    await handled(0, 4);
    expect(done).toEqual(['mark a,b', 'commit t/0=5']);
  });

  it('commits nothing of an older generation, but marks its skipped events', async () => {
    const { commits, handled, done } = begin();
    await handled(0, 4);
    commits.passOver([event('a')]);
    await handled(0, 5);
    commits.forget();
    commits.stop();
    await soon();
    expect(done).toEqual(['commit t/0=5', 'mark a']);
  });

  it('retries failed commits and marks', async () => {
    const { commits, handled, done, refused, fails } = begin({ mark: true });
    commits.passOver([event('a')]);
    await expect(handled(0, 4)).rejects.toThrow('no database');
    fails.mark = false;
    fails.commit = true;
    commits.stop();
    await soon();
    expect(refused.map(({ message }) => message)).toEqual(['no broker']);
    fails.commit = false;
    await handled(1, 7);
    expect(done).toEqual(['mark a', 'commit t/0=5 t/1=8']);
  });
});
