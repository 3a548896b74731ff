import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { callerAddress } from './client.js';

/** While connections are being accepted, one of those that wait is read for so many that are accepted. */
const acceptedForEachRead = 4;
/** The connections that are read in a turn of the event loop in which none was accepted. */
const readAtOnce = 16;

/**
 * Reads connections without an accepted request in turn: one of each address after another, whoever came first.
 *
 * The system queues new connections in their order, and Node accepts one of them in a turn of its event loop, in which it also
 * reads everything that has arrived on the others. Left to themselves, a thousand connections of a flood make a turn last up to a
 * second, and a connection behind them waits for a thousand turns. Here nothing of a connection is read before its turn, turns
 * are short while connections are accepted, and a refused connection waits for its next turn, too.
 */
export function readInTurns(server: Server, isLetIn: (socket: Socket) => boolean): void {
  const waiting = new WaitingByAddress();
  let accepted = 0;
  let acceptedBefore = 0;
  let isPlanned = false;
  const plan = () => {
    if (isPlanned || waiting.isEmpty) return;
    isPlanned = true;
    setImmediate(readNext);
  };
  const readNext = () => {
    isPlanned = false;
    const isAccepting = accepted !== acceptedBefore;
    acceptedBefore = accepted;
    const most = isAccepting ? Number(accepted % acceptedForEachRead === 0) : readAtOnce;
    for (let count = 0; count < most; count++) waiting.take()?.();
    plan();
  };
  const wait = (socket: Socket, read: () => void) => {
    waiting.add(socket, read);
    plan();
  };

  // It applies to the connections that are accepted from now on, as the option of the same name.
  Object.assign(server, { pauseOnConnect: true });
  const serve = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket) => {
    accepted++;
    wait(socket, () => {
      for (const listener of serve) listener.call(server, socket);
      socket.resume();
    });
  });
  server.on('request', ({ socket }, response: ServerResponse) => {
    response.once('finish', () => {
      if (!response.shouldKeepAlive || socket.destroyed || isLetIn(socket)) return;
      socket.pause();
      wait(socket, () => socket.resume());
    });
  });
}

/** What is to be done for sockets: one address after another, and of each address alternately the oldest and the newest socket. */
class WaitingByAddress {
  private readonly addresses = new Map<string, OfAddress>();

  get isEmpty(): boolean {
    return this.addresses.size === 0;
  }

  add(socket: Socket, act: () => void): void {
    if (socket.destroyed) return;
    const address = callerAddress(socket.remoteAddress);
    const sockets = this.addresses.get(address) ?? new OfAddress();
    if (sockets.has(socket)) return;
    this.addresses.set(address, sockets);
    const leave = () => {
      sockets.remove(socket);
      if (sockets.isEmpty && this.addresses.get(address) === sockets) this.addresses.delete(address);
    };
    sockets.add(socket, () => {
      socket.off('close', leave);
      act();
    });
    socket.once('close', leave);
  }

  /** The next one, which no longer waits. */
  take(): (() => void) | undefined {
    const [next] = this.addresses;
    if (next === undefined) return undefined;
    const [address, sockets] = next;
    const act = sockets.take();
    // The other addresses go first.
    this.addresses.delete(address);
    if (!sockets.isEmpty) this.addresses.set(address, sockets);
    return act;
  }
}

/**
 * Alternately the oldest and the newest: all are read in the end, and a connection that has just come need not wait for a thousand
 * of the same address that came in one moment.
 */
class OfAddress {
  /** In the order of their arrival. */
  private readonly acts = new Map<Socket, () => void>();
  /** The same, among others that no longer wait. */
  private newest: Socket[] = [];
  private isNewestNext = true;

  get isEmpty(): boolean {
    return this.acts.size === 0;
  }

  has(socket: Socket): boolean {
    return this.acts.has(socket);
  }

  add(socket: Socket, act: () => void): void {
    if (this.newest.length > 2 * this.acts.size + 16) this.newest = [...this.acts.keys()];
    this.acts.set(socket, act);
    this.newest.push(socket);
  }

  remove(socket: Socket): void {
    this.acts.delete(socket);
  }

  take(): (() => void) | undefined {
    const socket = this.isNewestNext ? this.takeNewest() : this.acts.keys().next().value;
    this.isNewestNext = !this.isNewestNext;
    const act = socket && this.acts.get(socket);
    if (socket) this.remove(socket);
    return act;
  }

  private takeNewest(): Socket | undefined {
    for (;;) {
      const socket = this.newest.pop();
      if (socket === undefined || this.acts.has(socket)) return socket;
    }
  }
}
