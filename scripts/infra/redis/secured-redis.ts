import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Authority } from '../secured/authority.js';

/** Who asks whether a Redis with users of its own is ready. */
export const probeUser = { username: 'curtail-infra', password: randomBytes(12).toString('hex') };

/** The lines of redis.conf for TLS and for users; writes the files that they name. They replace earlier lines of the same name. */
export async function secureLines(
  folder: string,
  port: number,
  { authority, users }: { authority?: Authority; users?: Record<string, string> },
): Promise<string[]> {
  return [...(authority ? await tlsLines(folder, port, authority) : []), ...(users ? userLines(users) : [])];
}

async function tlsLines(folder: string, port: number, authority: Authority): Promise<string[]> {
  const keys = join(folder, 'keys');
  await mkdir(keys, { recursive: true, mode: 0o700 });
  const { cert, key } = await authority.issue('redis');
  const files = { 'tls-cert-file': cert, 'tls-key-file': key, 'tls-ca-cert-file': authority.ca };
  for (const [name, text] of Object.entries(files)) await writeFile(join(keys, name), text, { mode: 0o600 });
  const named = Object.keys(files).map((name) => `${name} "${join(keys, name)}"`);
  return ['port 0', `tls-port ${port}`, 'tls-auth-clients no', ...named];
}

function userLines(users: Record<string, string>): string[] {
  const all = { ...users, [probeUser.username]: `on >${probeUser.password} +ping +info` };
  return ['user default off', ...Object.entries(all).map(([name, rules]) => `user ${name} ${rules}`)];
}
