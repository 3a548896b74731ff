import { CurtailError } from '#contracts/ground';
import type { Problem } from './generated/openapi.js';

/** A problem (RFC 9457) with the status of its answer; of another server, only the members that are known. */
export type ProblemAnswer = Partial<Problem> & { status: number };

/** The server has answered and refused the request. */
export class ProblemError extends CurtailError {
  readonly code = 'refused-by-server';

  constructor(readonly problem: ProblemAnswer) {
    super(problem.detail ?? problem.title ?? `the server answers with status ${problem.status}`);
  }
}

/** The answer is not one of the API: it is not JSON, or ends before its result. */
export class AnswerError extends CurtailError {
  constructor(
    readonly code: 'not-json' | 'no-result' | 'failed' | 'too-long',
    message: string,
  ) {
    super(message);
  }
}

/** An answer as `fetch` gives it, as far as a client needs it. */
export interface FetchedAnswer {
  ok: boolean;
  status: number;
  headers: { get(name: string): string | null };
  /** In pieces; `text` reads it as a whole. */
  body: AsyncIterable<Uint8Array> | null;
  text(): Promise<string>;
}

/** The problem of a refusal; of anything but Curtail, a sentence with the status. */
export async function problemOfAnswer(answer: FetchedAnswer): Promise<ProblemAnswer> {
  const { status, headers } = answer;
  if (status >= 300 && status < 400) {
    return { status, detail: `the server redirects to ${headers.get('location') ?? 'somewhere else'}` };
  }
  const problem: unknown = await answer
    .text()
    .then(JSON.parse)
    .catch(() => undefined);
  if (typeof problem === 'object' && problem !== null && 'title' in problem) {
    return { ...(problem as Problem), status };
  }
  return { status, detail: `the server answered with status ${status}, and is not a Curtail server` };
}
