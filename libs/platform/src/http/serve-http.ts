import type { RequestListener, Server } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Readiness } from '../health/readiness.js';
import { Shutdown } from '../shutdown/shutdown.js';
import type { FrontDoor } from './front-door.js';

/** Requests under way get this long at the end; live updates would otherwise keep the process forever. */
const drainMs = 3000;

/** Ties the door into the shutdown: no longer ready and no new connections, before anything else ends. */
export function closeAtTheEnd(door: FrontDoor, readiness: Readiness, shutdown: Shutdown): void {
  shutdown.register('http', 'HTTP', async () => {
    readiness.leave();
    await stopServer(door.server);
  });
}

/** Lets an application, made on the server of the door, answer from now on. Its own hooks run before the pools end. */
export async function serveHttp(app: NestExpressApplication, door: FrontDoor): Promise<string> {
  const shutdown = app.get(Shutdown, { strict: false });
  shutdown.register('app', 'the application', () => app.close());
  await app.init();
  door.handOverTo(app.getHttpAdapter().getInstance() as RequestListener);
  return door.url;
}

async function stopServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(timer);
}
