import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../infra/folders.js';

/**
 * An empty simulated cluster gets the sample and its quotas, as `npm start` does it, unless CURTAIL_SAMPLE is no. A start that
 * was killed between the two is made good by the next one.
 * @param url where Curtail answers.
 * @param cluster absent: as the environment has it.
 * @returns whether the sample was put in place now.
 */
export async function placeSample(url: string, cluster?: string): Promise<boolean> {
  const kind = cluster ?? (process.env.CURTAIL_CLUSTER || 'simulated');
  if (process.env.CURTAIL_SAMPLE === 'no' || kind !== 'simulated') return false;
  const at = `${url}/v1/partitions/default`;
  const headers: Record<string, string> = process.env.CURTAIL_TOKEN
    ? { authorization: `Bearer ${process.env.CURTAIL_TOKEN}` }
    : {};
  const inForce = await fetch(`${at}/config`, { headers });
  if (inForce.status !== 404) return false;
  if (!(await fetch(`${at}/simulated/sample`, { method: 'POST', headers })).ok) return false;
  const quotas = await fetch(`${at}/config`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/yaml' },
    body: await readFile(join(root, 'examples/queues.yaml'), 'utf8'),
  });
  return quotas.ok;
}
