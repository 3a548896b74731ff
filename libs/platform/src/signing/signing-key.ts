import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { CurtailError } from '#contracts';
import { kindOf, type SettingKind } from '../settings/kinds.js';

/** The public part of a key, as a JSON Web Key (RFC 8037): what verifies a signature, and is published. */
export interface PublicKey {
  kty: 'OKP';
  crv: 'Ed25519';
  /** 32 bytes, base64url. */
  x: string;
  /** Its thumbprint by RFC 7638, base64url: the same for the same key, wherever it is read. */
  kid: string;
  use: 'sig';
  alg: 'EdDSA';
}

/** What was signed is not in it: whoever verifies has the bytes. */
export interface Signature {
  alg: 'EdDSA';
  /** The `kid` of the key. */
  kid: string;
  /** 64 bytes, base64url. */
  signature: string;
}

export class SigningKeyError extends CurtailError {
  readonly code = 'signing-key';
}

/**
 * A private key of Ed25519 (RFC 8032), which signs what leaves Curtail and is to be trusted later: exported records, and checkpoints of the log.
 * Only its public part can be read from it, also where it is logged.
 */
export class SigningKey {
  readonly #key: KeyObject;
  readonly publicKey: PublicKey;

  private constructor(key: KeyObject) {
    this.#key = key;
    this.publicKey = publicKeyOf(createPublicKey(key));
  }

  /** @param pem PKCS #8, as `openssl genpkey -algorithm ed25519` writes it. @throws SigningKeyError, without the text. */
  static of(pem: string): SigningKey {
    let key: KeyObject;
    try {
      key = createPrivateKey(pem);
    } catch {
      throw new SigningKeyError(`has no private key in PEM; ${remedy}`);
    }
    if (key.asymmetricKeyType !== 'ed25519')
      throw new SigningKeyError(`has a key of ${key.asymmetricKeyType}, not of Ed25519; ${remedy}`);
    return new SigningKey(key);
  }

  /** The same bytes always have the same signature. */
  sign(bytes: Uint8Array | string): Signature {
    const signature = sign(null, bytesOf(bytes), this.#key).toString('base64url');
    return { alg: 'EdDSA', kid: this.publicKey.kid, signature };
  }
}

const remedy = 'make one: openssl genpkey -algorithm ed25519 -out signing.pem';

/**
 * Whether one of the keys has made the signature over exactly these bytes. Keys of earlier times stay in the list, so that what they signed
 * can still be verified.
 */
export function isSignedBy(
  keys: readonly PublicKey[],
  bytes: Uint8Array | string,
  { kid, signature }: Pick<Signature, 'kid' | 'signature'>,
): boolean {
  const found = keys.find((key) => key.kid === kid);
  if (found === undefined) return false;
  const { kty, crv, x } = found;
  const key = createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
  const given = Buffer.from(signature, 'base64url');
  return given.length === 64 && verify(null, bytesOf(bytes), key, given);
}

/** The public part of a key of Ed25519. */
export function publicKeyOf(key: KeyObject): PublicKey {
  const x = String(key.export({ format: 'jwk' }).x);
  // The members in this order, without spaces: RFC 7638, section 3.
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
  return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' };
}

const bytesOf = (bytes: Uint8Array | string): Uint8Array =>
  typeof bytes === 'string' ? Buffer.from(bytes) : bytes;

/** The path of a file with a private key, which becomes the value. */
export const signingKeyFile: SettingKind<SigningKey> = kindOf(
  'the path of a file with a private key of Ed25519 in PEM: openssl genpkey -algorithm ed25519',
  z.string().transform((path, issues) => {
    let pem: string;
    try {
      pem = readFileSync(path, 'utf8');
    } catch (error) {
      issues.addIssue(`cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
      return z.NEVER;
    }
    try {
      return SigningKey.of(pem);
    } catch (error) {
      if (!(error instanceof SigningKeyError)) throw error;
      issues.addIssue(error.message);
      return z.NEVER;
    }
  }),
);
