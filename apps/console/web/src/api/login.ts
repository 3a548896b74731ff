import type { TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import { apiWith, token, wordsOf } from './client.js';

/** Where people log in, as the server tells it. */
export interface Where {
  issuer: string;
  clientId: string;
  audience: string;
  scopes: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
}

/** In this tab alone, as the token: a login that has begun, and what renews the token of one that is done. */
const stored = <T>(key: string) => ({
  get: (): T | undefined => JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined,
  set: (value: T) => sessionStorage.setItem(key, JSON.stringify(value)),
  remove: () => sessionStorage.removeItem(key),
});
const begun = stored<{ where: Where; state: string; verifier: string; back: string }>('curtail-login-begun');
const renewal = stored<{ where: Where; refreshToken: string; renewAt: number }>('curtail-login');

/** Why the last login failed. */
export let failure: string | undefined;

/** @returns null: this Curtail has no login, or the page came over plain HTTP, where browsers offer no cryptography to log in with. */
export async function whereToLogIn(): Promise<Where | null> {
  const where = await apiWith(undefined).get('/v1/login');
  const isComplete = Object.values(where).every((field) => field !== null);
  return isComplete && window.isSecureContext ? (where as Where) : null;
}

const redirectUri = () => `${location.origin}/ui/`;
const resourceOf = ({ audience }: Where) => (URL.canParse(audience) ? { resource: audience } : undefined);

async function clientFor({ issuer, clientId, authorizationEndpoint, tokenEndpoint }: Where) {
  const client = await import('openid-client');
  const server = { issuer, authorization_endpoint: authorizationEndpoint, token_endpoint: tokenEndpoint };
  const configuration = new client.Configuration(server, clientId, undefined, client.None());
  // The server accepts such an issuer on loopback alone.
  if (issuer.startsWith('http:')) client.allowInsecureRequests(configuration);
  return { client, configuration };
}

/** Authorization code with PKCE (RFC 7636): leaves the page for the issuer, which leads back to it. */
export async function logIn(where: Where): Promise<void> {
  const { client, configuration } = await clientFor(where);
  const [state, verifier] = [client.randomState(), client.randomPKCECodeVerifier()];
  begun.set({ where, state, verifier, back: `${location.pathname}${location.search}` });
  const address = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri(),
    scope: where.scopes,
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...resourceOf(where),
  });
  location.assign(address);
}

/** Ends a login where the issuer has led back to the page; its address and history keep nothing of it. */
export async function finishLogin(): Promise<void> {
  const login = begun.get();
  const answer = new URL(location.href);
  if (login === undefined || !answer.searchParams.has('state')) return keepLoggedIn();
  begun.remove();
  history.replaceState(history.state, '', login.back);
  try {
    const { client, configuration } = await clientFor(login.where);
    const checks = { pkceCodeVerifier: login.verifier, expectedState: login.state };
    const resource = resourceOf(login.where);
    take(login.where, await client.authorizationCodeGrant(configuration, answer, checks, resource));
  } catch (error) {
    failure = `The login failed: ${wordsOf(error).detail}`;
  }
  keepLoggedIn();
}

/** The token for the audience: that of the API, or where the client itself is the audience, the ID token. */
function take(
  where: Where,
  tokens: TokenEndpointResponse & TokenEndpointResponseHelpers,
  former?: string,
): void {
  token.set((where.audience === where.clientId ? tokens.id_token : tokens.access_token) ?? '');
  const refreshToken = tokens.refresh_token ?? former;
  const seconds = tokens.expiresIn();
  if (refreshToken === undefined || seconds === undefined) renewal.remove();
  else renewal.set({ where, refreshToken, renewAt: Date.now() + seconds * 500 });
}

/** Logging out does not wait longer for the issuer. */
const revocationMs = 3000;

/** Ends the login of this tab, or removes the token that was entered, and reloads the page. */
export async function logOut(): Promise<void> {
  const login = renewal.get();
  token.remove();
  renewal.remove();
  begun.remove();
  setTimeout(() => location.reload(), revocationMs);
  try {
    if (login !== undefined) await revoke(login);
  } catch {
    // The issuer is away, or revokes nothing: the tokens expire by themselves, and this tab has none of them.
  }
  location.reload();
}

/** Revokes the refresh token at the issuer, so that it cannot be used any more. */
async function revoke({ where, refreshToken }: { where: Where; refreshToken: string }): Promise<void> {
  const client = await import('openid-client');
  const { issuer, clientId } = where;
  const execute = issuer.startsWith('http:') ? [client.allowInsecureRequests] : [];
  const discovered = await client.discovery(new URL(issuer), clientId, undefined, client.None(), { execute });
  await client.tokenRevocation(discovered, refreshToken);
}

const retryMs = 10_000;

/** Renews the token after half its life. If the issuer is away, the token works until it expires. */
function keepLoggedIn(): void {
  const login = renewal.get();
  if (login === undefined) return;
  setTimeout(
    async () => {
      try {
        const { client, configuration } = await clientFor(login.where);
        const resource = resourceOf(login.where);
        const tokens = await client.refreshTokenGrant(configuration, login.refreshToken, resource);
        take(login.where, tokens, login.refreshToken);
      } catch {
        renewal.set({ ...login, renewAt: Date.now() + retryMs });
      }
      keepLoggedIn();
    },
    Math.max(0, login.renewAt - Date.now()),
  );
}
