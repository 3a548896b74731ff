import { CurtailError } from '#contracts';

/** A server did not answer in time. */
export class NoAnswer extends CurtailError {
  readonly code = 'no-answer';
}
