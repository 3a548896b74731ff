import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a server that a test can cut: whoever is connected is cut off, and new connections are refused. */
export class CutProxy {
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();
  private port = 0;

  private constructor(
    private readonly host: string,
    private readonly targetPort: number,
  ) {}

  /** @param url of a database; `url` of the proxy leads to the same one. */
  static async to(url: string): Promise<CutProxy & { url: string }> {
    const through = new URL(url);
    const proxy = new CutProxy(through.hostname, Number(through.port));
    await proxy.open();
    through.hostname = '127.0.0.1';
    through.port = String(proxy.port);
    return Object.assign(proxy, { url: through.href });
  }

  async open(): Promise<void> {
    const server = createServer((inner) => {
      const outer = connect(this.targetPort, this.host);
      for (const socket of [inner, outer]) {
        this.sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          this.sockets.delete(socket);
          inner.destroy();
          outer.destroy();
        });
      }
      inner.pipe(outer).pipe(inner);
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  async cut(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server?.close(() => resolve()));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}
