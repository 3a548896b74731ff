import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { SettingProblem } from '#platform';
import { given } from '#platform';

/** PEM texts, as far as they are set. */
export interface CertificateSettings {
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
}

/**
 * Finds errors in the certificates that a client is to trust, and in its own, before it connects to a server, whose
 * refusal would not name them.
 *
 * @param prefix of the names of the settings, `CURTAIL_KAFKA`
 */
export function certificateProblems(prefix: string, settings: CertificateSettings): SettingProblem[] {
  const { ca, cert, key } = settings;
  if ((cert === undefined) !== (key === undefined)) {
    return [
      {
        variable: cert === undefined ? `${prefix}_CERT` : `${prefix}_KEY`,
        wrong: 'is not set, but the other one is',
        remedy: 'a client shows a certificate together with its key',
      },
    ];
  }
  const problems: SettingProblem[] = [];
  const toBeUsed = (variable: string, use: () => unknown, remedy: string) => {
    try {
      use();
    } catch (error) {
      // OpenSSL prefixes its sentence with a number.
      const why = (error as Error).message.replace(/^error:\w+:/, '');
      problems.push({ variable: `${prefix}_${variable}`, wrong: `cannot be used (${why})`, remedy });
    }
  };
  for (const [variable, pem] of Object.entries(given({ CA: ca, CERT: cert }))) {
    toBeUsed(variable, () => new X509Certificate(pem), 'give a file with certificates in PEM');
  }
  if (problems.length > 0 || key === undefined) return problems;
  toBeUsed(
    'KEY',
    () => createSecureContext(given({ cert, key })),
    `give the key of ${prefix}_CERT in PEM; one with a password must be decrypted first (openssl pkey -in KEY -out DECRYPTED)`,
  );
  return problems;
}
