import { CurtailError } from '#contracts';
import type { InputProblem } from './problem.js';

/** Input with several errors, all of them listed. For a single one InputError of the contracts is enough. */
export class RefusedInput extends CurtailError {
  readonly code = 'refused-input';

  constructor(
    readonly errors: readonly InputProblem[],
    detail = errors.length === 1 ? errors[0]!.message : `${errors.length} errors in the input.`,
    readonly remedy?: string,
  ) {
    super(detail);
  }
}
