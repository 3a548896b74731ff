import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Readiness } from '../health/readiness.js';
import type { ServiceSettings } from '../settings/service-settings.js';
import { SettingsError } from '../settings/settings-error.js';
import { Shutdown } from '../shutdown/shutdown.js';

/** Requests under way get this long at the end; live updates would otherwise keep the process for ever. */
const drainMs = 3000;

/**
 * Listens, and ties the application into the shutdown: no longer ready and no new connections first, Nest's own hooks
 * before the pools.
 * @returns the address, `http://127.0.0.1:8080`.
 * @throws SettingsError when that address cannot be listened on.
 */
export async function serveHttp(app: NestExpressApplication, settings: ServiceSettings): Promise<string> {
  const shutdown = app.get(Shutdown, { strict: false });
  const readiness = app.get(Readiness, { strict: false });
  shutdown.register('app', 'the application', () => app.close());
  shutdown.register('http', 'HTTP', async () => {
    readiness.leave();
    await stopServer(app.getHttpServer());
  });
  await app.listen(settings.port, settings.host).catch((error: unknown) => {
    throw listenError(error, settings);
  });
  const { address, port, family } = (app.getHttpServer() as Server).address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

const remedies: Record<string, [reason: string, remedy: string]> = {
  EADDRINUSE: [
    'is taken',
    'stop what listens there, or set CURTAIL_PORT to another port (0 takes a free one)',
  ],
  EACCES: ['is not allowed to this user', 'set CURTAIL_PORT to a port above 1023'],
  EADDRNOTAVAIL: ['is no address of this machine', 'set CURTAIL_HOST to one of its addresses'],
  ENOTFOUND: ['is not known', 'set CURTAIL_HOST to an address of this machine'],
};

function listenError(error: unknown, { host, port }: ServiceSettings): unknown {
  const known = remedies[(error as NodeJS.ErrnoException).code ?? ''];
  if (!known) return error;
  const wrong = `= ${JSON.stringify(host)} with CURTAIL_PORT = ${port} ${known[0]}`;
  return new SettingsError([{ variable: 'CURTAIL_HOST', wrong, remedy: known[1] }]);
}

async function stopServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(timer);
}
