import type { BodyOf, LinesPath, ResultOf } from '#api-client';
import type { Invocation } from '../invocation/invocation.js';
import { type Progress, startProgress } from '../output/progress.js';
import type { Client } from './client.js';

/** Requests a replay of the log and shows its progress. The server does the work: it continues when this ends. */
export async function replaying<P extends Exclude<LinesPath, `${string}{${string}`>>(
  invocation: Invocation,
  client: Client,
  path: P,
  body: BodyOf<P>,
): Promise<ResultOf<P>> {
  let bar: Progress | undefined;
  try {
    return await client.result(path, { body } as never, async (done, of, { replay, resumed, unit = '' }) => {
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
