import { setTimeout as delay } from 'node:timers/promises';
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Logger } from 'pino';
import { CurtailError } from '#contracts';
import type { Actor } from './acting.js';

export interface OidcSettings {
  issuer: string;
  audience: string;
  groupsClaim: string;
}

/** Signatures by a private key alone: with the public key as a shared secret (HS256) or with none, anyone could sign. */
export const signatureAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const toleranceSeconds = 30;
const answerMs = 5000;
/** A key that the issuer withdraws is no longer accepted after this, unless the issuer does not answer. */
const refreshMs = 300_000;
/** Between two questions for a key that is not known: whoever sends tokens with such keys must not make Curtail ask all the time. */
const unknownKeyMs = 1000;
const mostCharacters = 16_384;
const mostGroups = 1000;
/** Verified tokens: a signature is checked once, not with every request. */
const mostKnown = 10_000;

/** Why a token is not accepted. */
export type TokenRefusal = 'expired' | 'invalid' | 'issuer-away';

type Keys = ReturnType<typeof createRemoteJWKSet>;

/** Tokens (JWT) of an OIDC issuer: OpenID Connect Discovery 1.0, RFC 7519, RFC 8725. */
export class OidcTokens {
  private keys: { set: Keys; at: number } | undefined;
  private finding: Promise<Keys> | undefined;
  private readonly known = new Map<string, { actor: Actor; until: number }>();
  /** What the issuer has said of itself; undefined: nothing yet. */
  endpoints: Discovery | undefined;

  constructor(
    private readonly settings: OidcSettings,
    private readonly log: Logger,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** Asks the issuer who it is, unless that is known. @returns whether it is known now. */
  async ask(): Promise<boolean> {
    try {
      await this.keySet();
    } catch (err) {
      this.warnOfSilence(err);
    }
    return this.endpoints !== undefined;
  }

  /** Whether a token may be one of the issuer's: three parts, as a JWT has them. */
  static looksLike(token: string): boolean {
    return token.length <= mostCharacters && /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
  }

  /** @param digest of the token, under which it is remembered until it expires. */
  async actorOf(token: string, digest: string): Promise<Actor | TokenRefusal> {
    const known = this.known.get(digest);
    if (known !== undefined && known.until > this.nowMs()) return known.actor;
    this.known.delete(digest);
    const payload = await this.verified(token);
    if (typeof payload === 'string') return payload;
    const actor = this.actorIn(payload);
    if (actor === undefined) return 'invalid';
    if (this.known.size >= mostKnown) this.known.delete(this.known.keys().next().value!);
    // A key that was withdrawn meanwhile ends the token with the next refresh, not with its own end.
    this.known.set(digest, { actor, until: Math.min(payload.exp! * 1000, this.nowMs() + refreshMs) });
    return actor;
  }

  private async verified(token: string): Promise<JWTPayload | TokenRefusal> {
    try {
      return await this.signedBy(await this.keySet(), token);
    } catch (error) {
      if (error instanceof errors.JWTExpired) return 'expired';
      if (error instanceof IssuerAway || error instanceof errors.JWKSTimeout || isNetwork(error)) {
        this.warnOfSilence(error);
        return 'issuer-away';
      }
      return 'invalid';
    }
  }

  private async signedBy(keys: Keys, token: string): Promise<JWTPayload> {
    const verify = async () => {
      const { payload } = await jwtVerify(token, keys, {
        issuer: this.settings.issuer,
        audience: this.settings.audience,
        algorithms: signatureAlgorithms,
        clockTolerance: toleranceSeconds,
        requiredClaims: ['exp', 'sub'],
      });
      return payload;
    };
    const wasJustAsked = keys.coolingDown;
    try {
      return await verify();
    } catch (error) {
      if (!wasJustAsked || !(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // The issuer may have changed its keys since it was asked: all who wait ask it once more, together.
      await delay(unknownKeyMs);
      return verify();
    }
  }

  private warnOfSilence(err: unknown): void {
    this.log.warn(
      { err, issuer: this.settings.issuer },
      'The issuer of tokens does not answer; new tokens are refused until it does.',
    );
  }

  private actorIn(payload: JWTPayload): Actor | undefined {
    const { sub } = payload;
    if (sub === undefined || sub.trim() === '' || sub.length > 200) return undefined;
    const claimed = payload[this.settings.groupsClaim];
    const groups = (Array.isArray(claimed) ? claimed : [claimed])
      .filter((group): group is string => typeof group === 'string' && group !== '')
      .slice(0, mostGroups);
    return { issuer: this.settings.issuer, subject: sub, ...(groups.length > 0 && { groups }) };
  }

  /** The keys of the issuer. Once they are known, they are kept while the issuer does not answer. @throws IssuerAway */
  private async keySet(): Promise<Keys> {
    if (this.keys === undefined) return this.find();
    if (this.nowMs() - this.keys.at > refreshMs) {
      this.keys.at = this.nowMs();
      this.keys.set.reload().catch((err: unknown) => {
        this.log.warn(
          { err, issuer: this.settings.issuer },
          'The issuer of tokens does not answer; its known keys stay in use.',
        );
      });
    }
    return this.keys.set;
  }

  private find(): Promise<Keys> {
    this.finding ??= this.discover().finally(() => {
      this.finding = undefined;
    });
    return this.finding;
  }

  private async discover(): Promise<Keys> {
    const found = await discoveryOf(this.settings.issuer);
    this.endpoints = found;
    const set = createRemoteJWKSet(new URL(found.jwks_uri), {
      cacheMaxAge: Number.POSITIVE_INFINITY,
      cooldownDuration: unknownKeyMs,
      timeoutDuration: answerMs,
    });
    this.keys = { set, at: this.nowMs() };
    return set;
  }
}

/** What an issuer says of itself, as far as Curtail needs it. */
export interface Discovery {
  issuer: string;
  jwks_uri: string;
  authorization_endpoint?: string;
  token_endpoint?: string;
}

class IssuerAway extends CurtailError {
  readonly code = 'issuer-away';
}

/** OpenID Connect Discovery 1.0, section 4. @throws IssuerAway */
async function discoveryOf(issuer: string): Promise<Discovery> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  let found: Partial<Discovery>;
  try {
    const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(answerMs) });
    if (!answer.ok) throw new IssuerAway(`${address} answers with status ${answer.status}`);
    found = (await answer.json()) as Partial<Discovery>;
  } catch (error) {
    throw error instanceof IssuerAway
      ? error
      : new IssuerAway(`${address}: ${(error as Error).message}`, { cause: error });
  }
  // Another issuer may not speak for this one: section 4.3.
  if (found.issuer !== issuer) throw new IssuerAway(`${address} is of another issuer`);
  if (typeof found.jwks_uri !== 'string' || !URL.canParse(found.jwks_uri))
    throw new IssuerAway(`${address} names no keys`);
  return found as Discovery;
}

const isNetwork = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC');
