import { chmodSync, lstatSync, rmSync } from 'node:fs';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { askAgainHeaders, notReady, notReadyFor } from '../health/not-ready.js';
import { Readiness } from '../health/readiness.js';
import { LOG } from '../platform.module.js';
import { problem } from '../problems/problem.js';
import { sendProblem } from '../problems/send-problem.js';
import type { GeneralSettings } from '../settings/service-settings.js';
import { SettingsError } from '../settings/settings-error.js';
import { Shutdown } from '../shutdown/shutdown.js';
import { acceptLocal } from './connection-identity.js';
import { limitedServer } from './limited-server.js';
import { assertListenAddress } from './listen-address.js';
import { bareHost } from './loopback.js';
import { RenewTls, readTls, type TlsContent, type TlsFiles } from './tls.js';

/**
 * The maximum number of connections that wait to be accepted. If there are more, the system drops new ones, and their
 * senders retry only after one, three or seven seconds: with Node's default of 511, a stall of a fraction of a second
 * under a flood is enough. The system has a limit of its own (`net.core.somaxconn`), which applies too.
 */
const backlog = 4096;

/**
 * Listens from the first moment of a process, so that operators see that it is alive while it waits for its servers:
 * `/healthz` is answered, `/readyz` names the missing servers, and everything else gets 503. Then the application takes
 * over, on the same connections.
 */
export class FrontDoor {
  private constructor(
    readonly server: Server,
    private readonly current: { listener: RequestListener },
    private readonly files: TlsFiles,
    private readonly tls: TlsContent | undefined,
    /** Listens on a Unix socket besides. */
    readonly local: Server | undefined,
  ) {}

  /**
   * @param waitsFor names the missing servers.
   * @throws SettingsError when the address cannot be listened on.
   */
  static async open(settings: GeneralSettings, waitsFor: () => string[]): Promise<FrontDoor> {
    assertListenAddress(settings);
    const current = { listener: earlyAnswer(waitsFor) };
    const tls = readTls(settings);
    const server = limitedServer(settings, (request, response) => current.listener(request, response), tls);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port: settings.port, host: bareHost(settings.host), backlog }, () => resolve());
    }).catch((error: unknown) => {
      throw listenError(error, settings);
    });
    try {
      const local =
        settings.socket === undefined ? undefined : await openLocal(settings, settings.socket, current);
      return new FrontDoor(server, current, settings, tls, local);
    } catch (error) {
      server.close();
      throw error;
    }
  }

  /** `http://127.0.0.1:8080` */
  get url(): string {
    const { address, port, family } = this.server.address() as AddressInfo;
    return `http${this.tls ? 's' : ''}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  handOverTo(listener: RequestListener): void {
    this.current.listener = listener;
  }

  /** Serves a renewed certificate from now on. @returns a function that ends this. */
  followCertificate(log: Pick<Logger, 'info' | 'error'>): () => void {
    if (this.tls === undefined) return () => {};
    const renewing = new RenewTls(this.server as TlsServer, this.files, this.tls, log);
    return () => renewing.stop();
  }
}

/** A server on a Unix socket that only the user of this process can open. One that an ended process has left is replaced. */
async function openLocal(
  settings: GeneralSettings,
  path: string,
  current: { listener: RequestListener },
): Promise<Server> {
  const server = limitedServer(settings, (request, response) => current.listener(request, response));
  acceptLocal(server);
  const listen = () =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      // The file has its rights from its first moment.
      const before = process.umask(0o177);
      try {
        server.listen({ path, backlog }, () => resolve());
      } finally {
        process.umask(before);
      }
    });
  try {
    await listen().catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE' || (await isServed(path))) throw error;
      rmSync(path);
      await listen();
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isTaken = code === 'EADDRINUSE';
    throw new SettingsError([
      {
        variable: 'CURTAIL_SOCKET',
        wrong: `${JSON.stringify(path)} ${isTaken ? 'is taken' : `cannot be listened on (${code ?? 'unknown reason'})`}`,
        remedy: isTaken
          ? 'stop what listens there, or choose another path'
          : 'choose a path in a folder that this user may write to',
      },
    ]);
  }
  chmodSync(path, 0o600);
  return server;
}

/** Whether somebody listens on a Unix socket, or its path is no socket at all. */
const isServed = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSocket()) return resolve(true);
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ECONNREFUSED'));
  });

const stillStarting = notReady('Curtail is still starting.', 'Ask again in a few seconds.', ['start']);

function earlyAnswer(waitsFor: () => string[]): RequestListener {
  return (request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/healthz' && (request.method === 'GET' || request.method === 'HEAD')) {
      sendOk(response);
      return;
    }
    const down = waitsFor();
    const why = down.length > 0 ? notReadyFor(down) : stillStarting;
    sendProblem(request, response, problem(why), askAgainHeaders);
  };
}

function sendOk(response: ServerResponse): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Cache-Control', 'no-store');
  response.end('{"status":"ok"}');
}

type Refusal = { setting: 'port' | 'host'; wrong: string; remedy: string };

const refusals: Record<string, Refusal> = {
  EADDRINUSE: {
    setting: 'port',
    wrong: 'is taken',
    remedy: 'stop what listens there, or choose another port, such as --port 9000 (0 takes a free one)',
  },
  EACCES: { setting: 'port', wrong: 'is not permitted for this user', remedy: 'choose a port above 1023' },
  EADDRNOTAVAIL: {
    setting: 'host',
    wrong: 'is not an address of this machine',
    remedy: 'choose one of its addresses',
  },
  ENOTFOUND: { setting: 'host', wrong: 'is not known', remedy: 'choose an address of this machine' },
};

function listenError(error: unknown, { host, port }: GeneralSettings): unknown {
  const refusal = refusals[(error as NodeJS.ErrnoException).code ?? ''];
  if (!refusal) return error;
  const { setting, wrong, remedy } = refusal;
  const [variable, value] =
    setting === 'port' ? ['CURTAIL_PORT', `${port} of ${host}`] : ['CURTAIL_HOST', JSON.stringify(host)];
  return new SettingsError([{ variable, wrong: `${value} ${wrong}`, remedy }]);
}

/** The time limit of requests under way at the end; live updates would otherwise keep the process forever. */
const drainMs = 3000;

/** Adds the front door to the shutdown: not ready and no new connections, before anything else ends. */
export function closeAtTheEnd(door: FrontDoor, readiness: Readiness, shutdown: Shutdown): void {
  shutdown.register('http', 'HTTP', async () => {
    readiness.leave();
    await Promise.all([door.server, door.local].map((server) => server && stopServer(server)));
  });
}

/**
 * Lets an application that was created on the server of the front door answer from now on. Its own hooks run before the
 * pools end.
 */
export async function serveHttp(app: NestExpressApplication, door: FrontDoor): Promise<string> {
  const shutdown = app.get(Shutdown, { strict: false });
  shutdown.register('app', 'the application', () => app.close());
  const unfollow = door.followCertificate(app.get(LOG, { strict: false }));
  shutdown.register('http', 'the certificate', async () => unfollow());
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
