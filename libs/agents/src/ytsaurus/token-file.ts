import { readFile } from 'node:fs/promises';
import { holdSecret } from '#platform/secrets';
import { YtError } from './yt-error.js';

/** The token that a file has now. @throws YtError if it cannot be read, or has none. */
export async function readTokenFile(file: string): Promise<string> {
  const token = (
    await readFile(file, 'utf8').catch((error: Error) => {
      throw new YtError('token-unreadable', `${file}: ${error.message}`);
    })
  ).trim();
  if (/^[\x21-\x7e]+$/.test(token)) {
    holdSecret(token);
    return token;
  }
  const found = token === '' ? 'is empty' : 'has more than one word, or characters that no token has';
  throw new YtError('token-unreadable', `${file} ${found}: it must have the token alone`);
}
