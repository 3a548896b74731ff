import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Server as TlsServer } from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import { holdSecret } from '../settings/secrets.js';
import { type SettingProblem, SettingsError } from '../settings/settings-error.js';

/** Where the certificate of this server is, its key, and the authorities that sign those of callers. */
export interface TlsFiles {
  tlsCert?: string | undefined;
  tlsKey?: string | undefined;
  tlsClientCa?: string | undefined;
}

/** PEM texts, as they were read together. */
export type TlsContent = Required<Pick<SecureContextOptions, 'cert' | 'key'>> &
  Pick<SecureContextOptions, 'ca'>;

const oldestVersion = 'TLSv1.2';

/**
 * Reads the files, and whether they belong together.
 *
 * @returns undefined without any: HTTP is plain.
 * @throws SettingsError with the file and the remedy, without its content.
 */
export function readTls({ tlsCert, tlsKey, tlsClientCa }: TlsFiles): TlsContent | undefined {
  if (tlsCert === undefined && tlsKey === undefined && tlsClientCa === undefined) return undefined;
  const missing = tlsCert === undefined ? 'CERT' : tlsKey === undefined ? 'KEY' : undefined;
  if (missing) {
    throw faulty({
      variable: `CURTAIL_TLS_${missing}_FILE`,
      wrong: 'is not set, but another file of TLS is',
      remedy: 'a server needs a certificate with its key',
    });
  }
  const cert = pemIn('CURTAIL_TLS_CERT_FILE', tlsCert!);
  const key = pemIn('CURTAIL_TLS_KEY_FILE', tlsKey!);
  holdSecret(key);
  const ca = tlsClientCa === undefined ? undefined : pemIn('CURTAIL_TLS_CLIENT_CA_FILE', tlsClientCa);
  for (const [variable, pem] of [
    ['CURTAIL_TLS_CERT_FILE', cert],
    ['CURTAIL_TLS_CLIENT_CA_FILE', ca],
  ] as const) {
    if (pem === undefined) continue;
    try {
      new X509Certificate(pem);
    } catch {
      throw faulty({
        variable,
        wrong: 'names a file without a certificate',
        remedy: 'give a file with certificates in PEM',
      });
    }
  }
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw faulty({
      variable: 'CURTAIL_TLS_KEY_FILE',
      wrong: `names a file that cannot be used (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`,
      remedy:
        'give the key of CURTAIL_TLS_CERT_FILE in PEM; one with a password must be decrypted first (openssl pkey -in KEY -out DECRYPTED)',
    });
  }
  return { cert, key, ...(ca === undefined ? {} : { ca }) };
}

function pemIn(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw faulty({
      variable,
      wrong: `names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`,
      remedy: 'give the path of a file in PEM',
    });
  }
}

const faulty = (problem: SettingProblem) => new SettingsError([problem]);

/** What Node needs to serve TLS; callers need a certificate where there is an authority for them. */
export const tlsOptions = (content: TlsContent) => ({
  ...content,
  minVersion: oldestVersion as 'TLSv1.2',
  requestCert: content.ca !== undefined,
  rejectUnauthorized: content.ca !== undefined,
});

const lookEveryMs = 10_000;

/** Serves a renewed certificate without a restart: it looks at the files, because mounted secrets are replaced by links that no watcher sees. */
export class RenewTls {
  private digest: string;
  private refused: string | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly server: TlsServer,
    private readonly files: TlsFiles,
    content: TlsContent,
    private readonly log: Pick<Logger, 'info' | 'error'>,
  ) {
    this.digest = digestOf(content);
    this.timer = setInterval(() => this.look(), lookEveryMs).unref();
  }

  /** Connections that are open keep the certificate that they began with. Files that cannot be used leave the old one in force. */
  look(): void {
    let content: TlsContent | undefined;
    try {
      content = readTls(this.files);
    } catch (error) {
      const reason = (error as SettingsError).list[0]!;
      if (reason !== this.refused)
        this.log.error({ reason }, 'The certificate cannot be used; the old one stays in force; retrying.');
      this.refused = reason;
      return;
    }
    this.refused = undefined;
    if (content === undefined || digestOf(content) === this.digest) return;
    this.server.setSecureContext({ ...content, minVersion: oldestVersion });
    this.digest = digestOf(content);
    this.log.info(
      { until: new X509Certificate(content.cert as string).validTo },
      'The certificate was renewed.',
    );
  }

  stop(): void {
    clearInterval(this.timer);
  }
}

const digestOf = ({ cert, key, ca }: TlsContent) =>
  createHash('sha256')
    .update(JSON.stringify([cert, key, ca]))
    .digest('hex');
