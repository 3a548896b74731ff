import { setMaxListeners } from 'node:events';
import { partition } from './load.js';

/** The pauses of `ReadPace` (apps/console/web/src/live), which decides when a page reads again. */
const pauseMs = { shortest: 250, longest: 15_000 };
const share = 1 / 20;

/**
 * What the overview reads again for the events of `recordEvents`; freezes, which they do not concern, it leaves alone (`isConcerned`,
 * apps/console/web/src/live).
 */
const reads = [
  `/v1/queues?partition=${partition}&limit=1000`,
  `/v1/status?partition=${partition}`,
  `/v1/enforcements?partition=${partition}&state=ended&limit=8`,
  '/v1/kill-switch',
];

/** The requests of so many open pages, without their browsers, which a server of two cores could not show. */
export function openPages(
  url: string,
  count: number,
): { readings: () => number; close: () => Promise<void> } {
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  let readings = 0;
  const page = async (): Promise<void> => {
    const response = await fetch(`${url}/v1/live?partition=${partition}`, { signal: over.signal });
    /** The id of the last message. */
    let lastSeen = '';
    let hasNews = false;
    let wake = () => {};
    const listening = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body!) {
        const id = /^id: (.*)$/m.exec(decoder.decode(chunk, { stream: true }))?.[1];
        // Something is sent in quiet times too.
        if (id === undefined) continue;
        lastSeen = id;
        hasNews = true;
        wake();
      }
    })().catch(() => {});
    const tags = new Map<string, string>();
    /** As a browser reads what it has read before. */
    const read = async (path: string): Promise<void> => {
      const tag = tags.get(path);
      const answer = await fetch(url + path, {
        headers: { 'curtail-last-seen': lastSeen, ...(tag !== undefined && { 'if-none-match': tag }) },
        signal: over.signal,
      });
      await answer.arrayBuffer();
      if (answer.status !== 200 && answer.status !== 304) throw new Error(`${path}: ${answer.status}`);
      tags.set(path, answer.headers.get('etag') ?? '');
    };
    while (!over.signal.aborted) {
      if (!hasNews)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      hasNews = false;
      const began = performance.now();
      await Promise.all(reads.map(read));
      readings++;
      const pause = (performance.now() - began) * (1 / share - 1);
      await pauseUnless(over.signal, Math.min(pauseMs.longest, Math.max(pauseMs.shortest, pause)));
    }
    wake();
    await listening;
  };
  const all = Array.from({ length: count }, () =>
    page().catch((error: unknown) => {
      if (!over.signal.aborted) throw error;
    }),
  );
  return {
    readings: () => readings,
    close: async () => {
      over.abort();
      await Promise.race([Promise.all(all), pauseUnless(new AbortController().signal, 5000)]);
    },
  };
}

async function pauseUnless(over: AbortSignal, ms: number): Promise<void> {
  if (over.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    over.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
