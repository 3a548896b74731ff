import type { Invocation } from '../invocation.js';
import { type Progress, startProgress } from '../progress.js';
import type { Client } from './client.js';

/** Requests a replay of the log and shows its progress. The server does the work: it continues when this ends. */
export async function replaying<T>(
  invocation: Invocation,
  client: Client,
  path: string,
  request: object,
): Promise<T> {
  let bar: Progress | undefined;
  try {
    return await client.sendForResult<T>(path, request, async (done, of, { replay, resumed, unit = '' }) => {
      if (bar === undefined) {
        if (resumed) invocation.report(`${replay} resumes at ${done} of ${of} ${unit}`);
        bar = await startProgress(invocation, `${of} ${unit}`, of);
      }
      bar.update(done);
    });
  } finally {
    bar?.stop();
  }
}
