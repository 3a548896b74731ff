import type { ProblemSketch } from '../problems/problem.js';

export const askAgainHeaders = { 'Retry-After': '5' };

export function notReady(detail: string, remedy: string, down: readonly string[]): ProblemSketch {
  return { code: 'not-ready', title: 'Not ready', status: 503, detail, remedy, down };
}

/** @param down names of checks, at least one. */
export function notReadyFor(down: readonly string[]): ProblemSketch {
  return notReady(
    `Not reachable or not ready: ${down.join(', ')}.`,
    'See the log of Curtail for the reason, and ask again later.',
    down,
  );
}
