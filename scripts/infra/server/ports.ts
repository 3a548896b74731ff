import { createServer } from 'node:net';
import { freePort } from '../../../libs/platform/src/postgres/free-port.js';

/** Free ports of 127.0.0.1, each another, under the names given. */
export async function freePorts<Name extends string>(names: readonly Name[]): Promise<Record<Name, number>> {
  const ports = new Set<number>();
  while (ports.size < names.length) ports.add(await freePort());
  const list = [...ports];
  return Object.fromEntries(names.map((name, at) => [name, list[at]])) as Record<Name, number>;
}

/** Whether nobody listens on the port at this moment. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
