import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from '../infra/server/server.js';
import { BackOff } from './back-off.js';

const checkEveryMs = 200;

/**
 * Starts servers again that end by themselves, on the same ports and data; the services wait for them meanwhile.
 * Ends with `signal`.
 */
export async function keepServers(
  servers: readonly Server[],
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(servers.map((server) => keep(server, progress, signal)));
}

async function keep(server: Server, progress: (line: string) => void, signal: AbortSignal): Promise<void> {
  const backOff = new BackOff();
  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => {});
  let began = performance.now();
  for (; !signal.aborted; await pause(checkEveryMs)) {
    if (server.pid !== undefined) continue;
    const pauseMs = backOff.next(performance.now() - began);
    progress(`${server.name} has ended; restarting it in ${pauseMs / 1000} s`);
    await pause(pauseMs);
    if (signal.aborted) return;
    began = performance.now();
    await server.start().then(
      () => progress(`${server.name} is back`),
      (error: Error) => progress(error.message),
    );
  }
}
