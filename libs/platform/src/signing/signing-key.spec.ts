import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { isSignedBy, type PublicKey, SigningKey } from './signing-key.js';

/** RFC 8037, appendix A.1 and A.3: a key and its thumbprint. */
const knownSeed = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
const knownX = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const knownThumbprint = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
const pemOf = (seed: string) => {
  const der = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex').toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n`;
};

describe('a signing key', () => {
  const key = SigningKey.of(pemOf(knownSeed));

  it('has the public part and the thumbprint of RFC 8037', () => {
    expect(key.publicKey).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      x: knownX,
      kid: knownThumbprint,
      use: 'sig',
      alg: 'EdDSA',
    });
  });

  it('signs as RFC 8037, appendix A.4', () => {
    const signed = 'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc';
    expect(key.sign(signed).signature).toBe(
      'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
    );
  });

  it('is verified by its public part alone, and only over the same bytes', () => {
    const { publicKey: other } = SigningKey.of(pemOf('01'.repeat(32)));
    const signature = key.sign('a text');
    expect(isSignedBy([other, key.publicKey], Buffer.from('a text'), signature)).toBe(true);
    expect(isSignedBy([other], 'a text', signature)).toBe(false);
    expect(isSignedBy([key.publicKey], 'a texT', signature)).toBe(false);
    expect(isSignedBy([key.publicKey], 'a text', { ...signature, signature: '' })).toBe(false);
    const renamed: PublicKey = { ...other, kid: key.publicKey.kid };
    expect(isSignedBy([renamed], 'a text', signature)).toBe(false);
  });

  it('shows no private part', () => {
    const { d } = JSON.parse(JSON.stringify({ d: Buffer.from(knownSeed, 'hex').toString('base64url') })) as {
      d: string;
    };
    for (const text of [JSON.stringify(key), inspect(key, { depth: 9, showHidden: true })]) {
      expect(text).not.toContain(d);
      expect(text).not.toContain(knownSeed);
    }
  });

  it('is refused where the text has none of Ed25519, without the text', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    expect(() => SigningKey.of(String(rsa.export({ type: 'pkcs8', format: 'pem' })))).toThrow(
      'has a key of rsa, not of Ed25519; make one: openssl genpkey',
    );
    expect(() => SigningKey.of('marked-secret')).toThrow(/^has no private key in PEM; make one/);
  });
});
