import { ProblemException, problemOf } from '#platform';
import { ReplayStopped } from './work/replay-work.js';

const remedy = 'Send the same request again: it resumes the replay.';

/** The problem for a caller that takes one JSON document, after a replay that ended without a result. */
export function problemOfReplay(replay: string, error: Error): Error {
  const detail = `Replay ${replay} has no result: ${error.message}.`;
  if (error instanceof ReplayStopped) {
    return error.by === 'shutdown'
      ? processEnds(detail)
      : new ProblemException({
          code: 'replay-stopped',
          title: 'The replay was stopped',
          status: 409,
          detail,
          remedy,
        });
  }
  if (problemOf(error).status !== 500) return error;
  return new ProblemException({
    code: 'replay-failed',
    title: 'The replay failed',
    status: 500,
    detail,
    remedy,
  });
}

/** 503: the process that would replay, or did so, shuts down. */
export function processEnds(detail = 'This process shuts down, and begins no replay.'): ProblemException {
  return new ProblemException(
    { code: 'process-ends', title: 'The process shuts down', status: 503, detail, remedy },
    { 'Retry-After': '5' },
  );
}
