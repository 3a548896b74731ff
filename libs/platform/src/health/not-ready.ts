import { CurtailError, runbookOf } from '#contracts';
import type { ProblemSketch } from '../problems/problem.js';

/** Why a server is down, in words for callers: thrown by a readiness check. Reasons of other errors are for operators only. */
export class Down extends CurtailError {
  /** @param code for programs. @param message one sentence without a full stop. @param remedy the same. */
  constructor(
    readonly code: string,
    message: string,
    readonly remedy: string,
  ) {
    super(message);
  }
}

export const askAgainHeaders = { 'Retry-After': '5' };

export function notReady(detail: string, remedy: string, down: readonly string[]): ProblemSketch {
  return { code: 'not-ready', title: 'Not ready', status: 503, detail, remedy, down };
}

/**
 * @param down names of checks, at least one.
 * @param reasons those that callers may read, by name.
 */
export function notReadyFor(
  down: readonly string[],
  reasons: Readonly<Record<string, Pick<Down, 'code' | 'message' | 'remedy'>>> = {},
): ProblemSketch {
  const named = down.map((name) => (reasons[name] ? `${name} (${reasons[name].message})` : name)).join(', ');
  const [runbook] = down.flatMap((name) => runbookOf(reasons[name]?.code ?? 'server-down', name) ?? []);
  const [remedy] = down.flatMap((name) => reasons[name]?.remedy ?? []);
  const sketch = notReady(
    `Not reachable or not ready: ${named}.`,
    remedy === undefined
      ? 'See the log of Curtail for the reason, and ask again later.'
      : `${remedy[0]!.toUpperCase()}${remedy.slice(1)}.`,
    down,
  );
  return runbook === undefined ? sketch : { ...sketch, runbook };
}
