import type { RequestListener, Server } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Readiness } from '../health/readiness.js';
import { Shutdown } from '../shutdown/shutdown.js';
import type { FrontDoor } from './front-door.js';

/** The time limit of requests under way at the end; live updates would otherwise keep the process forever. */
const drainMs = 3000;

/** Adds the front door to the shutdown: not ready and no new connections, before anything else ends. */
export function closeAtTheEnd(door: FrontDoor, readiness: Readiness, shutdown: Shutdown): void {
  shutdown.register('http', 'HTTP', async () => {
    readiness.leave();
    await stopServer(door.server);
  });
}

/**
 * Lets an application that was created on the server of the front door answer from now on. Its own hooks run before the
 * pools end.
 */
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
