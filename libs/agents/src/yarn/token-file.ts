import { readFileSync, statSync } from 'node:fs';
import { InputError } from '#contracts';
import { holdSecret } from '#platform/secrets';

/** A delegation token in a file, which is replaced before it expires. */
export class TokenFile {
  private last: { changedAt: number; token: string } | undefined;

  constructor(private readonly file: string) {}

  /** The token as the file has it now. @throws InputError if it cannot be read, or has none. */
  read(): string {
    try {
      const { mtimeMs: changedAt } = statSync(this.file);
      if (this.last?.changedAt !== changedAt) {
        this.last = { changedAt, token: readFileSync(this.file, 'utf8').trim() };
        holdSecret(this.last.token);
      }
    } catch (error) {
      throw new InputError('token', `${this.file} cannot be read: ${(error as Error).message}`);
    }
    const { token } = this.last;
    if (/^[\x21-\x7e]+$/.test(token)) return token;
    // The text itself may be a secret.
    throw new InputError(
      'token',
      `${this.file} holds no token: write the urlString of POST /ws/v1/cluster/delegation-token, in one line`,
    );
  }
}
