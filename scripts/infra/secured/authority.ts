import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { bits, integer, octets, oid, sequence, setOf, tagged, time, utf8, yes } from './der.js';

/** In PEM: what a server or a client shows, and its unencrypted key (PKCS #8). */
export interface Certificate {
  cert: string;
  key: string;
}

/** Makes certificates that are good for tests: EC P-256, valid from an hour ago for a day. */
export interface Authority {
  /** Its own certificate, which others trust. */
  ca: string;
  /** One for localhost, 127.0.0.1, and no other name; as a client, who shows it is `name`. */
  issue(name: string): Certificate;
}

const hourMs = 3_600_000;
const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));

/** Needs no openssl: a certificate is little more than two names, two times and a key, signed. RFC 5280 */
export function makeAuthority(name = 'Curtail tests'): Authority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const extensions = [extension('2.5.29.19', sequence(yes), true)];
  const ca = pem(
    certificate({ issuer: name, subject: name, key: own.publicKey, signer: own.privateKey, extensions }),
  );
  return {
    ca,
    issue(subject) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const names = sequence(
        tagged(0x82, Buffer.from('localhost')),
        tagged(0x87, Buffer.from([127, 0, 0, 1])),
      );
      const cert = certificate({
        issuer: name,
        subject,
        key: publicKey,
        signer: own.privateKey,
        extensions: [extension('2.5.29.17', names)],
      });
      return { cert: pem(cert), key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
    },
  };
}

interface Contents {
  issuer: string;
  subject: string;
  key: KeyObject;
  signer: KeyObject;
  extensions: Buffer[];
}

function certificate({ issuer, subject, key, signer, extensions }: Contents): Buffer {
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(15)]);
  const now = Date.now();
  const version3 = tagged(0xa0, integer(Buffer.from([2])));
  const toSign = sequence(
    version3,
    integer(serial),
    ecdsaWithSha256,
    commonName(issuer),
    sequence(time(new Date(now - hourMs)), time(new Date(now + 24 * hourMs))),
    commonName(subject),
    key.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions)),
  );
  return sequence(toSign, ecdsaWithSha256, bits(sign('sha256', toSign, signer)));
}

function commonName(name: string): Buffer {
  return sequence(setOf(sequence(oid('2.5.4.3'), utf8(name))));
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [yes] : []), octets(value));
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
