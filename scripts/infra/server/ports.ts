import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { freePort } from '../../../libs/platform/src/postgres/server-start.js';

const lowest = 15_000;
/** Where systems begin to take ports for outgoing connections, if they do not say. */
const usualLimit = 32_768;

/**
 * Free ports of 127.0.0.1, each another, under the names given. None of those that the system gives to outgoing connections: while a
 * server is down, a client that calls it again and again would sooner or later sit on its port. No one gets them here again
 * until this process ends: a server is started later, and may be down in between.
 */
export async function freePorts<Name extends string>(names: readonly Name[]): Promise<Record<Name, number>> {
  const ports: [Name, number][] = [];
  for (const name of names) ports.push([name, await quietPort()]);
  return Object.fromEntries(ports) as Record<Name, number>;
}

async function quietPort(): Promise<number> {
  const limit = outgoingFrom();
  for (;;) {
    const port = limit < lowest + 1000 ? await freePort() : randomInt(lowest, limit);
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
}

/**
 * Takes a port from all that ask here, in any process and checkout, until this process ends. The UDP port of the same number is the
 * mark: the system gives it to one process, and takes it back however that ends.
 *
 * @returns false if it is reserved already.
 */
export async function reserve(port: number): Promise<boolean> {
  const mark = createSocket('udp4');
  return new Promise((resolve, reject) => {
    mark.once('error', (error: NodeJS.ErrnoException) => {
      mark.close();
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    mark.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      mark.unref();
      resolve(true);
    });
  });
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
