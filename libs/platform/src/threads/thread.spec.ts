import { getPriority } from 'node:os';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Thread } from './thread.js';

/**
 * Answers a number with its double and the number of questions so far; does not answer, fails or uses up its memory on
 * request.
 */
const program = `
  import { parentPort } from 'node:worker_threads';
  import os from 'node:os';
  let asked = 0;
  parentPort.on('message', (question) => {
    asked++;
    if (question === 'nothing') return;
    if (question === 'priority') return parentPort.postMessage(os.getPriority());
    if (question === 'fail') throw new Error('cannot');
    if (question === 'everything') for (const kept = []; ; ) kept.push(new Array(1e5).fill(asked));
    parentPort.postMessage({ double: question * 2, asked });
  });`;

describe('a thread', () => {
  const thread = new Thread<number | string, { double: number; asked: number }>(
    { file: new URL(`data:text/javascript,${encodeURIComponent(program)}`) },
    { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 },
  );
  // The next question uses the same thread.
  afterEach(async () => {
    expect(await thread.ask(21)).toMatchObject({ double: 42 });
  });

  it('answers one question after the other, and stays', async () => {
    expect(await thread.ask(1)).toEqual({ double: 2, asked: 1 });
    expect(await thread.ask(2)).toEqual({ double: 4, asked: 2 });
  });

  it.each(process.platform === 'linux' ? [''] : [])(
    'gives way to the other threads of the process%s',
    async () => {
      const own = getPriority();
      expect(await thread.ask('priority')).toBe(10);
      expect(getPriority()).toBe(own);
    },
  );

  it('starts whatever options of V8 the process has', async () => {
    await thread.end();
    process.execArgv.push('--max-semi-space-size=32');
    try {
      expect(await thread.ask(1)).toEqual({ double: 2, asked: 1 });
    } finally {
      process.execArgv.pop();
    }
  });

  it('reports that its memory is used up, and that the program failed', async () => {
    await expect(thread.ask('everything')).rejects.toMatchObject({ code: 'ERR_WORKER_OUT_OF_MEMORY' });
    await expect(thread.ask('fail')).rejects.toThrow('cannot');
  });

  it('is ended on request, and the next question starts another', async () => {
    await thread.ask(1);
    await thread.end();
    expect(await thread.ask(2)).toEqual({ double: 4, asked: 1 });
  });

  it('is ended when its caller leaves, and a new one begins', async () => {
    const left = new AbortController();
    const answer = thread.ask('nothing', left.signal);
    left.abort(new Error('left'));
    await expect(answer).rejects.toThrow('left');
    expect(await thread.ask(3)).toEqual({ double: 6, asked: 1 });
    await expect(thread.ask(4, left.signal)).rejects.toThrow('left');
  });
});
