/** Where tokens are had from, by the grant `client_credentials` of OAuth 2.0 (RFC 6749, section 4.4). */
export interface ClientCredentials {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scope?: string;
  timeoutMs?: number;
}

/** A token is taken from memory until this much of its life is left. */
const sparedMs = 30_000;

/**
 * Asks for a token, and gives the same one until it is about to end.
 *
 * @throws Error that says what the server answered; never with the secret or a token in it.
 */
export function tokenFromServer(options: ClientCredentials): () => Promise<string> {
  let kept: { token: string; until: number } | undefined;
  return async () => {
    if (kept && kept.until > Date.now()) return kept.token;
    const { token, livesMs } = await ask(options);
    kept = { token, until: Date.now() + livesMs - Math.min(sparedMs, livesMs / 2) };
    return token;
  };
}

async function ask(options: ClientCredentials): Promise<{ token: string; livesMs: number }> {
  const { tokenUrl, clientId, clientSecret, scope, timeoutMs = 5000 } = options;
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(':');
  const answer = await fetch(tokenUrl, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      accept: 'application/json',
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope ? { scope } : {}) }),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: Error) => {
    throw new Error(`no token from ${new URL(tokenUrl).host}: ${error.message}`);
  });
  if (!answer.ok)
    throw new Error(`no token from ${new URL(tokenUrl).host}: it answers with status ${answer.status}`);
  const { access_token: token, expires_in: lives } = (await answer.json()) as {
    access_token?: unknown;
    expires_in?: unknown;
  };
  if (typeof token !== 'string') {
    throw new Error(`no token from ${new URL(tokenUrl).host}: its answer has no access_token`);
  }
  return { token, livesMs: (typeof lives === 'number' ? lives : 300) * 1000 };
}
