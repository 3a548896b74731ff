import { setTimeout as delay } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { linesType, wantsLines } from '#platform';
import { problemOfReplay } from './replay-problems.js';
import type { RunningReplay } from './replays.js';

/** Interval between two progress lines. */
const progressEveryMs = 250;

/**
 * Answers with the result of a replay when it ends, or streams its progress to those who accept lines. The replay continues without
 * a client.
 *
 * @throws Error, mostly ProblemException, to those who accept no lines, if the replay ends without a result.
 */
export async function answerReplay(
  running: RunningReplay,
  request: Request,
  response: Response,
): Promise<void> {
  if (wantsLines(request, response)) return streamProgress(running, response);
  const { replay } = running;
  const result = await running.finished.catch((error: Error) => {
    throw problemOfReplay(replay, error);
  });
  response.json({ replay, result });
}

/** What is known at once, in the form that the caller accepts. */
export function answerAtOnce(result: unknown, request: Request, response: Response): void {
  if (wantsLines(request, response)) response.type(linesType).end(`${JSON.stringify({ result })}\n`);
  else response.json({ result });
}

async function streamProgress(running: RunningReplay, response: Response): Promise<void> {
  const { replay, resumed, unit } = running;
  const line = (value: unknown) => response.write(`${JSON.stringify(value)}\n`);
  response.type(linesType);
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
