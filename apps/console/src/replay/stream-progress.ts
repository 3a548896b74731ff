import { setTimeout as delay } from 'node:timers/promises';
import type { Response } from 'express';
import type { RunningReplay } from './replays.js';

/** Interval between two progress lines. */
const progressEveryMs = 250;

/** Streams progress until the replay ends or the client disconnects; the replay continues without a client. */
export async function streamProgress(running: RunningReplay, response: Response): Promise<void> {
  const { replay, resumed, unit } = running;
  const line = (value: unknown) => response.write(`${JSON.stringify(value)}\n`);
  response.type('application/x-ndjson');
  const over = running.finished.then(
    (result) => ({ result }),
    (error: Error) => ({ error: { message: error.message } }),
  );
  for (;;) {
    line({ replay, resumed, unit, done: running.done, of: running.of });
    const ended = await Promise.race([over, delay(progressEveryMs)]);
    if (response.destroyed) return;
    if (!ended) continue;
    line({ replay, resumed, unit, done: running.done, of: running.of });
    line(ended);
    response.end();
    return;
  }
}
