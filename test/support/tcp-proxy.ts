import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

type Mode = 'pass' | 'cut' | 'hole';

/** The two ends of one connection, and what has happened to it. */
interface Pair {
  client: Socket;
  server: Socket;
  /** The client's bytes since it was last answered. */
  askedBytes: number;
  /** Something of it went into the hole: what comes later would be nonsense. */
  hasLost: boolean;
}

/**
 * The way to one server, which a test can disturb. It stays on its port from beginning to end.
 *
 * - `pass`: all goes through.
 * - `cut`: all connections are cut off, new connections are refused: noticed at once.
 * - `hole`: connections stay and new ones are taken, but every byte vanishes: noticed only by a time limit. After it, a
 *   connection that has lost bytes is cut, as by a router that has forgotten it.
 * - an answer can be swallowed: the server does what it was asked, and the connection is cut instead of its answer passed on.
 */
export class TcpProxy {
  private listening: Server | undefined;
  private readonly pairs = new Set<Pair>();
  private mode: Mode = 'pass';
  private swallow: { leastBytes: number; done: () => void } | undefined;
  private ownPort = 0;
  private vanishedBytes = 0;

  private constructor(private target: { host: string; port: number } | undefined) {}

  /** @param url of a server; `url` of the proxy leads to the same one, with the same user, password and path. */
  static async to(url: string): Promise<TcpProxy & { url: string }> {
    const through = new URL(url);
    const proxy = await TcpProxy.open({ host: through.hostname, port: Number(through.port) });
    through.hostname = '127.0.0.1';
    through.port = String(proxy.port);
    return Object.assign(proxy, { url: through.href });
  }

  /** @param target left out where the server must know the proxy's port first: then `lead` names it. */
  static async open(target?: { host: string; port: number }): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await proxy.pass();
    return proxy;
  }

  get port(): number {
    return this.ownPort;
  }

  /** The bytes that holes have taken so far. */
  get lostBytes(): number {
    return this.vanishedBytes;
  }

  /** Where new connections go from now on. */
  lead(port: number, host = '127.0.0.1'): void {
    this.target = { host, port };
  }

  async pass(): Promise<void> {
    this.mode = 'pass';
    for (const pair of this.pairs) if (pair.hasLost) this.drop(pair);
    if (this.listening) return;
    this.listening = createServer((client) => this.join(client)).listen(this.ownPort, '127.0.0.1');
    await once(this.listening, 'listening');
    this.ownPort = (this.listening.address() as AddressInfo).port;
  }

  async cut(): Promise<void> {
    this.mode = 'cut';
    const server = this.listening;
    this.listening = undefined;
    const closed = new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
    for (const pair of this.pairs) this.drop(pair);
    await closed;
  }

  /** Until `pass`. Takes new connections also where they were cut before. */
  async hole(): Promise<void> {
    await this.pass();
    this.mode = 'hole';
  }

  /**
   * Cuts the connection instead of passing on the answer to the next request of so many bytes or more: what was asked is done, and the
   * asker cannot know. Resolves when that has happened.
   */
  swallowNextAnswer(leastBytes: number): Promise<void> {
    return new Promise((done) => {
      this.swallow = { leastBytes, done };
    });
  }

  private join(client: Socket): void {
    if (!this.target) {
      client.destroy();
      return;
    }
    const server = connect(this.target.port, this.target.host);
    const pair = { client, server, askedBytes: 0, hasLost: false };
    this.pairs.add(pair);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        // In a hole neither side learns that the other has gone.
        if (this.mode === 'hole') pair.hasLost = true;
        else this.drop(pair);
      });
    }
    client.on('data', (bytes) => {
      pair.askedBytes += bytes.length;
      this.handOn(pair, bytes, client, server);
    });
    server.on('data', (bytes) => {
      if (this.swallow && pair.askedBytes >= this.swallow.leastBytes) {
        this.swallow.done();
        this.swallow = undefined;
        this.drop(pair);
        return;
      }
      pair.askedBytes = 0;
      this.handOn(pair, bytes, server, client);
    });
    client.on('end', () => this.mode !== 'hole' && server.end());
    server.on('end', () => this.mode !== 'hole' && client.end());
  }

  private handOn(pair: Pair, bytes: Buffer, from: Socket, to: Socket): void {
    if (this.mode === 'hole') {
      pair.hasLost = true;
      this.vanishedBytes += bytes.length;
      return;
    }
    if (to.write(bytes)) return;
    from.pause();
    to.once('drain', () => from.resume());
  }

  private drop(pair: Pair): void {
    this.pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  }
}
