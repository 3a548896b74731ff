import { createHash } from 'node:crypto';

/** Fills the simulated cluster below a queue. */
export async function loadWork(url: string, spec: object): Promise<void> {
  const answer = await send(`${url}/v1/partitions/default/simulated/load`, 'POST', spec);
  const text = await answer.text();
  if (!answer.ok || !text.includes('"result"')) throw new Error(`the load failed: ${text}`);
}

/** @returns the digest under which it was accepted; undefined if the process went away before it could say so. */
export async function applyConfiguration(url: string, configuration: unknown): Promise<string | undefined> {
  const answer = await send(
    `${url}/v1/partitions/default/config?removeQueues=true`,
    'PUT',
    configuration,
  ).catch(() => undefined);
  if (!answer) return undefined;
  const text = await answer.text().catch(() => undefined);
  if (answer.ok) return text === undefined ? undefined : digestOf(configuration);
  // While it ends, or while its database is away, it answers so; anything else is a fault of the test.
  if (answer.status >= 500) return undefined;
  throw new Error(`the configuration was not accepted: ${answer.status} ${text}`);
}

function digestOf(configuration: unknown): string {
  return createHash('sha256').update(JSON.stringify(configuration)).digest('hex');
}

function send(url: string, method: string, body: unknown): Promise<Response> {
  return fetch(url, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}
