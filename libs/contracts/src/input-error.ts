import { CurtailError } from './curtail-error.js';

/**
 * Input that cannot be used. `path` is the field (`allocations[3].resources.memory`), `message` says what is wrong and
 * what would be right, and does not repeat the path; `line` and `column` count from 1 and are present where the input was a text with lines.
 */
export class InputError extends CurtailError {
  constructor(
    readonly path: string,
    message: string,
    readonly line?: number,
    readonly column?: number,
  ) {
    super(message);
    // Those who catch it go by its name, whatever it is besides.
    this.name = 'InputError';
  }

  /** For places that have room for one sentence only: the field, and what is wrong with it. */
  get sentence(): string {
    return `${this.path}: ${this.message}`;
  }

  get code(): string {
    return 'input-invalid';
  }
}
