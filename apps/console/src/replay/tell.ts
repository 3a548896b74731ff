import { setTimeout as delay } from 'node:timers/promises';
import type { Response } from 'express';
import type { RunningReplay } from './replays.js';

/** Between two lines that tell how far it is. */
const toldEveryMs = 250;

/** Tells how far it is until it is over, or until nobody listens: it goes on without. */
export async function tell(running: RunningReplay, response: Response): Promise<void> {
  const { replay, resumed, unit } = running;
  const line = (value: unknown) => response.write(`${JSON.stringify(value)}\n`);
  response.type('application/x-ndjson');
  const over = running.finished.then(
    (result) => ({ result }),
    (error: Error) => ({ error: { message: error.message } }),
  );
  for (;;) {
    line({ replay, resumed, unit, done: running.done, of: running.of });
    const ended = await Promise.race([over, delay(toldEveryMs)]);
    if (response.destroyed) return;
    if (!ended) continue;
    line({ replay, resumed, unit, done: running.done, of: running.of });
    line(ended);
    response.end();
    return;
  }
}
