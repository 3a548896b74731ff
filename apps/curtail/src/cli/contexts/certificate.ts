import { readFileSync, statSync } from 'node:fs';
import { CommandError } from '../terminal/errors.js';

/**
 * The certificate that a server is shown, and its key.
 *
 * @throws CommandError if one is missing, cannot be read or used, or other users can read the key; no message has a part of it.
 */
export function readCertificate(
  certFile: string | undefined,
  keyFile: string | undefined,
): { cert: string; key: string } {
  if (!certFile || !keyFile)
    throw new CommandError(
      'a certificate needs its key: give both --client-cert and --client-key, or CURTAIL_CLIENT_CERT_FILE and CURTAIL_CLIENT_KEY_FILE',
    );
  const cert = textIn(certFile, 'certificate');
  const key = textIn(keyFile, 'key');
  if ((statSync(keyFile).mode & 0o077) !== 0)
    throw new CommandError(`the key ${keyFile} can be read by other users`, { next: `chmod 600 ${keyFile}` });
  try {
    // TLS is loaded for this alone.
    process.getBuiltinModule('node:tls').createSecureContext({ cert, key });
  } catch {
    throw new CommandError(
      `${certFile} and ${keyFile} cannot be used: give a certificate and its key in PEM; one with a password must be decrypted first (openssl pkey -in KEY -out DECRYPTED)`,
    );
  }
  return { cert, key };
}

function textIn(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandError(`the ${what} ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
