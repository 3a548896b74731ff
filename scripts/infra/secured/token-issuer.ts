import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';

/** Makes signed tokens (RFC 7519), as an identity provider does. */
export interface TokenIssuer {
  issuer: string;
  audience: string;
  /** The keys that its tokens are checked against (RFC 7517), as JSON. */
  keySet: string;
  /** @param lifetimeSeconds default 300; below 0 for one that is over already */
  token(subject: string, lifetimeSeconds?: number): Promise<string>;
}

export function makeTokenIssuer(issuer = 'https://issuer.test', audience = 'curtail-kafka'): TokenIssuer {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const kid = 'test-key';
  const key = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' };
  return {
    issuer,
    audience,
    keySet: JSON.stringify({ keys: [key] }),
    token(subject, lifetimeSeconds = 300) {
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT()
        .setProtectedHeader({ alg: 'RS256', kid })
        .setSubject(subject)
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(now)
        .setExpirationTime(now + lifetimeSeconds)
        .sign(privateKey);
    },
  };
}
