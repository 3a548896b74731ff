import type { ServicePlace } from './service.js';

/** The connections of the PostgreSQL of the set-up, less some for inspecting it. */
const connections = 180;
/** Those of a process besides its pool: they wait for news, hold a lock, or listen. */
const besides = 4;

/** The settings of each service, besides those of the environment that this was started in. */
export function environmentOfServices(
  servers: Record<string, string>,
  places: readonly ServicePlace[],
  cluster?: string,
): Record<string, string> {
  const pool = Math.floor(connections / places.length) - besides;
  const ingest = places.find(({ app }) => app === 'config-ingest');
  return {
    CURTAIL_CONFIG_INGEST: `http://127.0.0.1:${ingest?.port}`,
    CURTAIL_DATABASE_POOL: String(Math.max(4, Math.min(20, pool))),
    ...servers,
    ...(cluster !== undefined && { CURTAIL_CLUSTER: cluster }),
  };
}
