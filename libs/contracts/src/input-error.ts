import { CurtailError } from './curtail-error.js';

/**
 * Invalid input. `path` is the field (`allocations[3].resources.memory`); `message` names the problem and the remedy without repeating
 * the path; `line` and `column` count from 1 and are present for input with lines.
 */
export class InputError extends CurtailError {
  constructor(
    readonly path: string,
    message: string,
    readonly line?: number,
    readonly column?: number,
  ) {
    super(message);
    // Handlers recognize it by its name, whatever its class.
    this.name = 'InputError';
  }

  /** For places with room for only one sentence: the field, unless it is all of the input, and its problem. */
  get sentence(): string {
    return this.path === '' ? this.message : `${this.path}: ${this.message}`;
  }

  get code(): string {
    return 'input-invalid';
  }
}
