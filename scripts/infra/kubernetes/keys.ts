import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeAuthority } from '../secured/authority.js';

/** Who may log in, by a token: one may do everything, the other nothing until a role permits it. */
export type User = 'admin' | 'nobody';
const groups: Record<User, string> = { admin: 'system:masters', nobody: '' };

export const tokenOf = (user: User): string => `${user}-token`;

/** Names of files, and the certificate of the authority in PEM. */
export interface Keys {
  ca: string;
  certificate: string;
  key: string;
  /** Signs the tokens of service accounts. */
  accounts: string;
  tokens: string;
  /** Of the admin, for the controllers. */
  kubeconfig: string;
}

/** The keys of the control plane in a folder, made unless they are there. */
export async function makeKeys(folder: string, server: string): Promise<Keys> {
  const at = (name: string) => join(folder, name);
  const files = {
    certificate: at('server.pem'),
    key: at('server.key'),
    accounts: at('accounts.key'),
    tokens: at('tokens.csv'),
    kubeconfig: at('admin.kubeconfig'),
  };
  const write = (file: string, text: string) => writeFile(file, text, { mode: 0o600 });
  const made = await readFile(at('ca.pem'), 'utf8').catch(() => undefined);
  if (made === undefined) {
    await mkdir(folder, { recursive: true, mode: 0o711 });
    const authority = await makeAuthority('Curtail tests of Kubernetes');
    const { cert, key } = await authority.issue('kubernetes');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const lines = (Object.keys(groups) as User[]).map(
      (user) => `${tokenOf(user)},${user},${user},${groups[user]}\n`,
    );
    await write(files.certificate, cert);
    await write(files.key, key);
    await write(files.accounts, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
    await write(files.tokens, lines.join(''));
    await write(at('ca.pem'), authority.ca);
  }
  const ca = made ?? (await readFile(at('ca.pem'), 'utf8'));
  await write(files.kubeconfig, kubeconfigOf(ca, { user: 'admin', server }));
  return { ca, ...files };
}

export function kubeconfigOf(ca: string, { user, server }: { user: User; server: string }): string {
  const cluster = { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'tests', cluster }],
    users: [{ name: user, user: { token: tokenOf(user) } }],
    contexts: [{ name: 'tests', context: { cluster: 'tests', user } }],
    'current-context': 'tests',
  });
}
