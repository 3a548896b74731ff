import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { callerAddress } from './client.js';

/** While connections are being accepted, one of those that wait is read for so many that are accepted. */
const acceptedForEachRead = 2;
/** The connections that are read in a turn of the event loop in which none was accepted. */
const readAtOnce = 16;

let accepted = 0;
let acceptedBefore = 0;
let isPlanned = false;

/** Connections whose last request was accepted, and came from an operator. */
const ofOperators = new WeakSet<Socket>();

/**
 * Reads in turn what does not come from operators: new connections, further requests, and the pieces of refused bodies, one of each
 * address after another, whichever came first.
 *
 * The system queues new connections in their order, and Node accepts one of them in a turn of its event loop, in which it also
 * reads everything that has arrived on the others. Left to themselves, a thousand connections of a flood make a turn last up to a
 * second, and a connection behind them waits for a thousand turns. Here nothing of a connection is read before its turn, and turns
 * are short while connections are accepted.
 */
export function readInTurns(server: Server): void {
  // It applies to the connections that are accepted from now on, as the option of the same name.
  Object.assign(server, { pauseOnConnect: true });
  const serve = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket) => {
    accepted++;
    waiting.add(socket, 'new', () => {
      for (const listener of serve) listener.call(server, socket);
      socket.resume();
    });
    plan();
  });
  server.on('request', ({ socket }, response: ServerResponse) => {
    ofOperators.delete(socket);
    response.once('finish', () => {
      if (!response.shouldKeepAlive || socket.destroyed || ofOperators.has(socket)) return;
      socket.pause();
      inItsTurn(socket, () => socket.resume());
    });
  });
}

/** Further requests on this connection are read at once, until one is not from an operator. */
export const readAtOnceFrom = (socket: Socket): unknown => ofOperators.add(socket);

/** Calls `act` in the turn of a socket, unless it is closed before or already waits for one. */
export function inItsTurn(socket: Socket, act: () => void): void {
  waiting.add(socket, 'known', act);
  plan();
}

function plan(): void {
  if (isPlanned || waiting.isEmpty) return;
  isPlanned = true;
  setImmediate(readNext);
}

function readNext(): void {
  isPlanned = false;
  const isAccepting = accepted !== acceptedBefore;
  acceptedBefore = accepted;
  const most = isAccepting ? Number(accepted % acceptedForEachRead === 0) : readAtOnce;
  for (let count = 0; count < most; count++) waiting.take()?.();
  plan();
}

type Kind = 'new' | 'known';

/** What is to be done for sockets: one address after another. */
class WaitingByAddress {
  private readonly addresses = new Map<string, OfAddress>();

  get isEmpty(): boolean {
    return this.addresses.size === 0;
  }

  add(socket: Socket, kind: Kind, act: () => void): void {
    if (socket.destroyed) return;
    const address = callerAddress(socket.remoteAddress);
    const sockets = this.addresses.get(address) ?? new OfAddress();
    if (sockets.has(socket)) return;
    this.addresses.set(address, sockets);
    const leave = () => {
      sockets.remove(socket);
      if (sockets.isEmpty && this.addresses.get(address) === sockets) this.addresses.delete(address);
    };
    sockets.add(socket, kind, () => {
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
 * In turn the newest connection, the oldest one, and the oldest of those that were read before: all are read in the end, and one that has
 * just come need not wait for a thousand of the same address that came in one moment, or that send long bodies.
 */
class OfAddress {
  /** In the order of their arrival. */
  private readonly acts = { new: new Map<Socket, () => void>(), known: new Map<Socket, () => void>() };
  /** The new ones, among others that no longer wait. */
  private newest: Socket[] = [];
  private taken = 0;

  get isEmpty(): boolean {
    return this.acts.new.size + this.acts.known.size === 0;
  }

  has(socket: Socket): boolean {
    return this.acts.new.has(socket) || this.acts.known.has(socket);
  }

  add(socket: Socket, kind: Kind, act: () => void): void {
    this.acts[kind].set(socket, act);
    if (kind === 'known') return;
    if (this.newest.length > 2 * this.acts.new.size + 16) this.newest = [...this.acts.new.keys()];
    else this.newest.push(socket);
  }

  remove(socket: Socket): void {
    if (!this.acts.new.delete(socket)) this.acts.known.delete(socket);
  }

  take(): (() => void) | undefined {
    this.taken++;
    const wanted: Kind = this.taken % 3 === 0 ? 'known' : 'new';
    const kind = this.acts[wanted].size > 0 ? wanted : wanted === 'new' ? 'known' : 'new';
    const isNewest = kind === 'new' && this.taken % 3 === 1;
    const socket = isNewest ? this.takeNewest() : this.acts[kind].keys().next().value;
    const act = socket && this.acts[kind].get(socket);
    if (socket) this.remove(socket);
    return act;
  }

  private takeNewest(): Socket | undefined {
    for (;;) {
      const socket = this.newest.pop();
      if (socket === undefined || this.acts.new.has(socket)) return socket;
    }
  }
}

const waiting = new WaitingByAddress();
