import { CurtailError } from '#contracts';

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
