import { generate, type SelfsignedOptions } from 'selfsigned';

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
  issue(name: string): Promise<Certificate>;
}

const hourMs = 3_600_000;

/** @param name without the marks that separate the parts of a name: `,` `+` `=` */
export async function makeAuthority(name = 'Curtail tests'): Promise<Authority> {
  const own = await made(name, { extensions: [{ name: 'basicConstraints', cA: true, critical: true }] });
  return {
    ca: own.cert,
    issue: (subject) =>
      made(subject, {
        ca: own,
        extensions: [
          {
            name: 'subjectAltName',
            altNames: [
              { type: 2, value: 'localhost' },
              { type: 7, ip: '127.0.0.1' },
            ],
          },
        ],
      }),
  };
}

async function made(name: string, options: SelfsignedOptions): Promise<Certificate> {
  const now = Date.now();
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - hourMs),
    notAfterDate: new Date(now + 24 * hourMs),
    ...options,
  });
  return { cert: `${cert}\n`, key };
}
