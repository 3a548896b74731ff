import { CodedError } from '#contracts';

/** A proxy of YTsaurus gave no usable answer; `code` names what came. */
export class YtError extends CodedError {
  /** Of HTTP, if there was an answer. */
  readonly status: number | undefined;
  /** The codes of YTsaurus in the error and in all errors inside it. */
  readonly codes: ReadonlySet<number>;
  /** Seconds after which the proxy wants to be asked again. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: string,
    message: string,
    of: {
      status?: number | undefined;
      codes?: ReadonlySet<number>;
      retryAfterSeconds?: number | undefined;
    } = {},
    options?: ErrorOptions,
  ) {
    super(code, message, options);
    this.status = of.status;
    this.codes = of.codes ?? new Set();
    this.retryAfterSeconds = of.retryAfterSeconds;
  }

  has(...codes: number[]): boolean {
    return codes.some((one) => this.codes.has(one));
  }
}

/** Codes of YTsaurus. */
export const ytCodes = {
  /** A path that is not there. */
  resolve: 500,
  authentication: 900,
  accessDenied: 901,
  noSuchOperation: 1915,
  /** Of the scheduler, a node, a controller agent, and the API. */
  noSuchJob: [203, 1135, 4419, 1916],
  /** Timeout, transport, unavailable, too many requests (two codes), banned proxy, unavailable service; lock conflicts of transactions. */
  passing: [3, 100, 105, 108, 904, 2100, 3302, 402, 1700],
} as const;

const passingStatuses = [429, 500, 502, 503, 504];

/** Whether the same request may succeed later. */
export function isPassing(error: unknown): error is YtError {
  if (!(error instanceof YtError)) return false;
  if (error.code === 'unreachable' || error.code === 'no-answer') return true;
  return error.has(...ytCodes.passing) || passingStatuses.includes(error.status ?? 0);
}

/** The server has the answer of a request with this mutation id: an agent that was ended has sent it before. */
export const isUnmarkedRepetition = (error: unknown): boolean =>
  error instanceof YtError && error.message.includes('Duplicate request is not marked as');

/** "No such job", in any of its four codes. */
export const isNoSuchJob = (error: unknown): boolean =>
  error instanceof YtError && error.has(...ytCodes.noSuchJob);
