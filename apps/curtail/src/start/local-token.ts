import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { holdSecret, isLoopback } from '#platform';
import type { CurtailSettings } from '#runtime';

/** The token that a start has made for the user of this machine. */
export interface LocalToken {
  token: string;
  /** Only its user can read it. Undefined: there is none. */
  file: string | undefined;
}

/** Whether a start makes a token: on loopback, where no setting names credentials, unless none are wanted. */
export const needsLocalToken = ({ auth, host, token, tokensFile, oidcIssuer }: CurtailSettings): boolean =>
  auth !== 'none' &&
  isLoopback(host) &&
  token === undefined &&
  tokensFile === undefined &&
  oidcIssuer === undefined;

/**
 * The token of a data folder: made at the first start, and the same at the next ones, so that links and contexts stay valid. In a folder that
 * cannot hold it, it is kept nowhere.
 */
export function localTokenIn(dataDir: string): LocalToken {
  const file = resolve(join(dataDir, 'token'));
  try {
    const token = readToken(file) ?? makeToken(dataDir, file);
    holdSecret(token);
    return { token, file };
  } catch {
    // If the database needs the folder, its start says what is wrong with it.
    return { token: newToken(), file: undefined };
  }
}

function readToken(file: string): string | undefined {
  try {
    const token = readFileSync(file, 'utf8').trim();
    return token.length < 16 ? undefined : token;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function makeToken(dataDir: string, file: string): string {
  const token = newToken();
  makeFolders(resolve(dataDir));
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return token;
}

/** As `mkdir -p`. Node's own repeats forever where a file system, such as that of /proc, denies that there is a folder of it. */
function makeFolders(path: string): void {
  if (existsSync(path)) return;
  makeFolders(dirname(path));
  mkdirSync(path);
}

const newToken = () => randomBytes(24).toString('base64url');
