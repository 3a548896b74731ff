import { decodeJwt } from 'jose';
import { KubernetesError } from './kubernetes-error.js';
import { isUntrusted } from './objects.js';

/** The `auth-provider` named `oidc` of a kubeconfig. */
export type OidcConfig = Partial<
  Record<'idp-issuer-url' | 'client-id' | 'client-secret' | 'id-token' | 'refresh-token', string>
>;

/** A token that expires this soon may not arrive in time. */
const marginMs = 10_000;

/**
 * The tokens of one user of an OpenID Connect provider. client-node's own renewal (1.4) fails: it passes the issuer as a string where
 * openid-client requires a URL, and mistakes the lifetime of a token for its expiry time.
 */
export class IdentityProvider {
  private token: string | undefined;
  private refreshToken: string | undefined;
  private renewing: Promise<string> | undefined;

  constructor(private readonly config: OidcConfig) {
    this.token = config['id-token'];
    this.refreshToken = config['refresh-token'];
  }

  /** A valid token. @throws Error if it has expired and cannot be renewed. */
  async idToken(): Promise<string> {
    if (this.token !== undefined && endOf(this.token) > Date.now() + marginMs) return this.token;
    this.renewing ??= this.renew().finally(() => {
      this.renewing = undefined;
    });
    return this.renewing;
  }

  private async renew(): Promise<string> {
    const { 'idp-issuer-url': issuer, 'client-id': client, 'client-secret': secret } = this.config;
    if (!issuer || !client || !this.refreshToken) {
      throw new KubernetesError(
        'credentials-expired',
        'the id-token has expired, and idp-issuer-url, client-id or refresh-token is missing: log in again',
      );
    }
    const { discovery, refreshTokenGrant } = await import('openid-client');
    const provider = await discovery(new URL(issuer), client, secret || undefined).catch((error: Error) => {
      throw unreachable(issuer, error);
    });
    const { id_token, refresh_token } = await refreshTokenGrant(provider, this.refreshToken);
    if (id_token === undefined)
      throw new KubernetesError('credentials-unusable', `${issuer} gave no id_token`);
    this.refreshToken = refresh_token ?? this.refreshToken;
    this.token = id_token;
    return id_token;
  }
}

/** The library's error is generic; its innermost cause has the reason. */
function unreachable(issuer: string, error: Error): Error {
  let reason: Error & { code?: string } = error;
  while (typeof reason.cause === 'object' && reason.cause !== null) reason = reason.cause as Error;
  const { code = '', message } = reason;
  return new KubernetesError(
    'credentials-unusable',
    isUntrusted(reason)
      ? `${issuer} cannot be trusted: set NODE_EXTRA_CA_CERTS to the file of the authority that signed it`
      : `${issuer} cannot be reached: ${message || code}`,
    { cause: error },
  );
}

function endOf(token: string): number {
  try {
    return (decodeJwt(token).exp ?? Number.POSITIVE_INFINITY) * 1000;
  } catch {
    return 0;
  }
}
