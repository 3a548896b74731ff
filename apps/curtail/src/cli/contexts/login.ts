import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import { CommandError } from '../terminal/errors.js';
import { fileModeOf, replaceFile, statOf } from './config-file.js';

/** A login as its file has it, which only its user can read. No message contains what it holds. */
export interface StoredLogin {
  issuer: string;
  clientId: string;
  audience: string;
  token: string;
  refreshToken?: string | undefined;
  /** RFC 3339; absent: the issuer did not say. */
  expiresAt?: string | undefined;
}

/** Tokens are renewed this long before they expire: a request takes its time, and clocks differ. */
const earlyMs = 30_000;
const answerSeconds = 10;

/** The file of the login of a context: in a folder beside the configuration. */
export const loginPath = (configPath: string, context: string): string =>
  join(dirname(configPath), 'logins', `${context.replace(/[^\w.-]/g, '_')}.json`);

/** @throws CommandError if it is missing, or other users can read it. */
export function readLogin(path: string): StoredLogin {
  const found = statOf(path);
  if (found === undefined) throw new CommandError(`the login ${path} of the context is missing`, again);
  if ((found.mode & 0o077) !== 0)
    throw new CommandError(`the login ${path} can be read by other users (mode ${fileModeOf(found)})`, {
      next: `chmod 600 ${path}`,
    });
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as StoredLogin;
  } catch {
    throw new CommandError(`the login ${path} of the context cannot be used`, again);
  }
}

export function writeLogin(path: string, login: StoredLogin): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    replaceFile(path, `${JSON.stringify(login)}\n`);
  } catch (error) {
    throw new CommandError(`cannot write ${path}: ${(error as Error).message}`);
  }
}

/** The issuer as it describes itself. @throws CommandError */
export async function issuerOf(issuer: string, clientId: string): Promise<Configuration> {
  const { None, allowInsecureRequests, discovery } = await import('openid-client');
  // Loopback alone: what the server names is checked by its own start, and this is the side that sends secrets.
  const { protocol, hostname } = new URL(issuer);
  const isLocal = protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  try {
    return await discovery(new URL(issuer), clientId, undefined, None(), {
      timeout: answerSeconds,
      ...(isLocal && { execute: [allowInsecureRequests] }),
    });
  } catch (error) {
    throw new CommandError(`the issuer ${issuer} does not answer: ${(error as Error).message}`, {
      next: 'try again later, or give a token with --token or CURTAIL_TOKEN',
    });
  }
}

/** What to ask for so that the token is for this audience (RFC 8707). */
export const resourceOf = (audience: string): Record<string, string> =>
  URL.canParse(audience) ? { resource: audience } : {};

type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

/** The token for the audience: that of the API, or where the client itself is the audience, the ID token. */
export function loginFrom(
  tokens: Tokens,
  about: Pick<StoredLogin, 'issuer' | 'clientId' | 'audience'>,
  former?: StoredLogin,
): StoredLogin {
  const token = about.audience === about.clientId ? tokens.id_token : tokens.access_token;
  if (token === undefined)
    throw new CommandError(`the issuer ${about.issuer} sent no ID token: CURTAIL_OIDC_SCOPES needs openid`);
  const seconds = tokens.expiresIn();
  return {
    ...{ issuer: about.issuer, clientId: about.clientId, audience: about.audience, token },
    refreshToken: tokens.refresh_token ?? former?.refreshToken,
    ...(seconds !== undefined && { expiresAt: new Date(Date.now() + seconds * 1000).toISOString() }),
  };
}

const again = { next: 'log in: curtail login' };

/** The token of a login, which is renewed if it is about to expire. @throws CommandError */
export async function freshToken(path: string): Promise<string> {
  const login = readLogin(path);
  const end = login.expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(login.expiresAt);
  if (end - earlyMs > Date.now()) return login.token;
  const isValid = end > Date.now();
  if (login.refreshToken === undefined) {
    if (isValid) return login.token;
    throw new CommandError('the login has expired', again);
  }
  try {
    const issuer = await issuerOf(login.issuer, login.clientId);
    const { refreshTokenGrant } = await import('openid-client');
    const tokens = await refreshTokenGrant(issuer, login.refreshToken, resourceOf(login.audience));
    const next = loginFrom(tokens, login, login);
    writeLogin(path, next);
    return next.token;
  } catch (error) {
    if (isValid) return login.token;
    // Another command may have renewed it meanwhile, and an issuer takes a token for renewal once.
    const now = readLogin(path);
    if (now.token !== login.token) return now.token;
    if (error instanceof CommandError) throw error;
    throw new CommandError('the login has expired', again);
  }
}
