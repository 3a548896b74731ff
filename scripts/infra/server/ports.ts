import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { freePort } from '../../../libs/platform/src/postgres/free-port.js';

const lowest = 15_000;
/** Where systems begin to take ports for outgoing connections, if they do not say. */
const usualLimit = 32_768;

/**
 * Free ports of 127.0.0.1, each another, under the names given. None of those that the system gives to outgoing connections: while a
 * server is down, a client that calls it again and again would sooner or later sit on its port.
 */
export async function freePorts<Name extends string>(names: readonly Name[]): Promise<Record<Name, number>> {
  const ports = new Set<number>();
  while (ports.size < names.length) ports.add(await quietPort());
  const list = [...ports];
  return Object.fromEntries(names.map((name, at) => [name, list[at]])) as Record<Name, number>;
}

async function quietPort(): Promise<number> {
  const limit = outgoingFrom();
  if (limit < lowest + 1000) return freePort();
  for (;;) {
    const port = randomInt(lowest, limit);
    if (await isFree(port)) return port;
  }
}

function outgoingFrom(): number {
  try {
    const [from] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').trim().split(/\s+/);
    return Math.min(Number(from) || usualLimit, usualLimit);
  } catch {
    return usualLimit;
  }
}

/** Whether no one listens on the port at this moment. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
