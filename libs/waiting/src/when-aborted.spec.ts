import { expect, it } from '@jest/globals';
import { whenAborted } from './within.js';

it('an abort is awaited, whether it is still to come or has come', async () => {
  const stopping = new AbortController();
  const stopped = whenAborted(stopping.signal).then(() => stopping.signal.aborted);
  stopping.abort();
  expect(await stopped).toBe(true);
  await whenAborted(stopping.signal);
});
