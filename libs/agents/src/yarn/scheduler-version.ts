import type { YarnApi } from './yarn-api.js';

const path = '/scheduler-conf/version';

/**
 * The version of the scheduler's properties; undefined: the manager reads its queues from a file, and does not tell them. Who is no
 * administrator, and so might see zeros instead of the work of others, is refused here.
 *
 * @throws YarnError
 */
export async function schedulerVersion(api: YarnApi): Promise<string | undefined> {
  const { status, body } = await api.call('GET', path);
  const version = (body as { versionID?: unknown } | undefined)?.versionID;
  if (status === 200 && version !== undefined) return String(version);
  if (status === 400) return undefined;
  throw api.refusal('GET', path, status, body);
}
