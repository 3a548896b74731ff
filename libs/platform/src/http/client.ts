import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import { isOperating, isShared, knownOf, nameOf } from './caller.js';
import { linkedOf } from './linked-explanation.js';

/** Aborted once the client has left without its answer. */
export function goneWith(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  onceClosed(response, () => {
    if (!response.writableEnded) gone.abort();
  });
  return gone.signal;
}

/** Calls back once the answer is sent or the client has left, which may have been a moment ago. */
export function onceClosed(response: ServerResponse, act: () => void): void {
  if (response.closed) act();
  else response.once('close', act);
}

/**
 * The address that the requests of a caller count under: an IPv4 address itself (also within IPv6), for IPv6 the 64-bit
 * network, since a caller with one address there has all of them.
 */
export function callerAddress(ip: string | undefined): string {
  const bare = (ip ?? 'unknown').split('%')[0]!;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(bare)) return bare;
  // The URL parser writes every form of an address alike.
  const [head = '', tail] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(8 - before.length - after.length).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}

/** Who shares a budget, a place or a turn. */
export interface Caller {
  /** An address, a team from all its addresses, or a link. */
  name: string;
  /** Its requests carry the token of the service, or none is needed. Operators go before others, and have places that others cannot take. */
  isOperator: boolean;
}

/** Who waits for the answer to a request. */
export interface CallingClient extends Caller {
  /** Aborted once the client has left without its answer. */
  gone: AbortSignal;
}

/** The client of what Curtail does by itself. */
export const ownWork: CallingClient = {
  name: 'curtail',
  isOperator: true,
  gone: new AbortController().signal,
};

/**
 * The caller of a request that has passed the check of its token. A team is one caller from all its addresses; so it uses up nothing of
 * operators who share an address with it, such as that of a proxy.
 */
export function callerOf(response: Pick<Response, 'locals'>, { ip }: Pick<Request, 'ip'>): Caller {
  const known = knownOf(response);
  if (known !== undefined && !isShared(known))
    return { name: nameOf(known.actor), isOperator: isOperating(known) };
  const linked = linkedOf(response);
  if (linked !== undefined)
    return { name: `link ${JSON.stringify([linked.partition, linked.allocation])}`, isOperator: false };
  return { name: callerAddress(ip), isOperator: true };
}

/** The client that waits for a response. */
export const callingClientOf = (response: Response): CallingClient => ({
  ...callerOf(response, response.req),
  gone: goneWith(response),
});

const shared = new AsyncLocalStorage<Caller | undefined>();

/** Lets what requests read count for their callers (`callerNow`). */
export function countForCaller(): RequestHandler {
  return (request, response, next) => {
    const caller = callerOf(response, request);
    if (caller.isOperator) next();
    else shared.run(caller, next);
  };
}

/** Whose share of the pools the work takes; undefined: that of operators and of Curtail itself. */
export const callerNow = (): Caller | undefined => shared.getStore();

/** Work that goes on for all callers, whoever began it. */
export const forAllCallers = <T>(work: () => T): T => shared.run(undefined, work);
