/**
 * Input that cannot be used. `path` is the field (`allocations[3].resources.memory`), `message` says what is wrong and
 * what would be right; `line` and `column` count from 1 and are present where the input was a text with lines.
 */
export class InputError extends Error {
  override readonly name = 'InputError';

  constructor(
    readonly path: string,
    message: string,
    readonly line?: number,
    readonly column?: number,
  ) {
    super(message);
  }
}
