import { access } from 'node:fs/promises';
import { InfraError } from '../infra-error.js';
import { findOnPath } from './find-on-path.js';
import { placesIn } from './kept-programs.js';

/**
 * The `redis-server` to run: CURTAIL_REDIS_SERVER, else the one that setup keeps, else one of the system's.
 * @throws InfraError if there is none.
 */
export async function findRedis(cache: string): Promise<string> {
  const remedy =
    'Install one (Debian and Ubuntu: `apt-get install -y --no-install-recommends redis-server`), 6.2 or newer; ' +
    'CURTAIL_REDIS_SERVER names it if it is not on the PATH. `npm run test:unit` needs no servers.';
  const chosen = process.env.CURTAIL_REDIS_SERVER;
  const found = chosen ?? (await firstOf(placesIn(cache).redisServer)) ?? findOnPath('redis-server');
  if (found && (await firstOf(found))) return found;
  throw new InfraError(
    chosen
      ? `CURTAIL_REDIS_SERVER is ${chosen}, where there is no program.`
      : `There is no Redis for ${process.platform} on ${process.arch} to fetch, and none on this machine.`,
    remedy,
  );
}

async function firstOf(file: string): Promise<string | undefined> {
  return access(file).then(
    () => file,
    () => undefined,
  );
}
