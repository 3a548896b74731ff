import type { Server } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { GeneralSettings } from '../settings/service-settings.js';
import { limitedServer, type ServerLimits } from './limited-server.js';
import { assertListenAddress, bareHost } from './listen-address.js';

export type AdapterSettings = ServerLimits & Pick<GeneralSettings, 'host' | 'token'>;

/**
 * Express on a server with limits of its own. However an app calls `listen`, it listens on the host of the settings,
 * and only if the loopback rule permits it.
 */
export class LimitedHttpAdapter extends ExpressAdapter {
  /** @param server a listening server that passes its requests to Express. */
  constructor(
    private readonly settings: AdapterSettings,
    private readonly server?: Server,
  ) {
    super();
    this.getInstance().disable('x-powered-by');
  }

  override initHttpServer(): void {
    this.httpServer = this.server ?? limitedServer(this.settings, this.getInstance());
  }

  override listen(port: string | number, ...rest: unknown[]) {
    const { host, token } = this.settings;
    assertListenAddress(host, token);
    const callback = rest.find((value) => typeof value === 'function') as (() => void) | undefined;
    return this.httpServer.listen(Number(port), bareHost(host), callback);
  }
}
