import { describe, expect, it } from '@jest/globals';
import { Batcher } from './batcher.js';

describe('requests that are answered together', () => {
  /** Answers each request with its double, when released. */
  function doubling(options?: ConstructorParameters<typeof Batcher>[1]) {
    const asked: number[][] = [];
    const gates: (() => void)[] = [];
    const together = new Batcher<number, number>(async (requests) => {
      asked.push(requests);
      await new Promise<void>((resolve) => gates.push(resolve));
      if (requests.includes(13)) throw new Error('not 13');
      return requests.map((request) => 2 * request);
    }, options);
    /** Answers all later requests at once. */
    const open = async (done: Promise<unknown>) => {
      const letAll = setInterval(() => gates.shift()?.());
      await done.finally(() => clearInterval(letAll));
    };
    return { asked, together, open };
  }

  it('sends a single request at once', async () => {
    const { asked, together, open } = doubling();
    const answer = together.ask(1);
    await Promise.resolve();
    expect(asked).toEqual([[1]]);
    await open(answer);
    expect(await answer).toBe(2);
  });

  it('batches requests while a statement is under way, and answers each with its own result', async () => {
    const { asked, together, open } = doubling();
    const first = together.ask(1);
    await Promise.resolve();
    const answers = Promise.all([first, ...[2, 3, 2].map((request) => together.ask(request))]);
    await open(answers);
    expect(asked).toEqual([[1], [2, 3, 2]]);
    expect(await answers).toEqual([2, 4, 6, 4]);
  });

  it('sends simultaneous requests with one statement', async () => {
    const { asked, together, open } = doubling();
    await open(Promise.all([1, 2, 3].map((request) => together.ask(request))));
    expect(asked).toEqual([[1, 2, 3]]);
  });

  it('limits the requests of one statement', async () => {
    const { asked, together, open } = doubling({ atMost: 2 });
    await open(Promise.all([1, 2, 3, 4].map((request) => together.ask(request))));
    expect(asked).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('reports an error to the request that caused it, and to no other', async () => {
    const { asked, together, open } = doubling();
    const answers = Promise.allSettled([1, 2, 13, 3].map((request) => together.ask(request)));
    await open(answers);
    expect(
      (await answers).map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason))),
    ).toEqual([2, 4, 'Error: not 13', 6]);
    expect(asked).toEqual([[1, 2, 13, 3], [1], [2], [13], [3]]);
  });

  it('reports an error to all if a second attempt might have an effect twice', async () => {
    const { asked, together, open } = doubling({ ifItFails: 'all-fail' });
    const answers = Promise.allSettled([1, 13].map((request) => together.ask(request)));
    await open(answers);
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(asked).toEqual([[1, 13]]);
  });

  it('continues after an error', async () => {
    const { together, open } = doubling();
    const failed = together.ask(13).catch(() => 'failed');
    await open(failed);
    const answer = together.ask(4);
    await open(answer);
    expect(await answer).toBe(8);
  });
});
