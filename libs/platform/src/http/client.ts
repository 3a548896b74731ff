import type { Request, Response } from 'express';
import { callerAddress } from './caller-address.js';
import { goneWith } from './gone-with.js';
import { linkedOf } from './linked-explanation.js';
import { callerTeam, teamOf } from './teams.js';

/** Who shares a budget, a place or a turn. */
export interface Caller {
  /** An address, a team from all its addresses, or a link. */
  name: string;
  /** Its requests carry the token of the service, or none is needed. Operators go before others, and have places that others cannot take. */
  isOperator: boolean;
}

/** Who waits for the answer to a request. */
export interface Client extends Caller {
  /** Aborted once the client has left without its answer. */
  gone: AbortSignal;
}

/** The client of what Curtail does by itself. */
export const ownWork: Client = { name: 'curtail', isOperator: true, gone: new AbortController().signal };

/**
 * The caller of a request that has passed the check of its token. A team is one caller from all its addresses; so it uses up nothing of
 * operators who share an address with it, such as that of a proxy.
 */
export function callerOf(response: Pick<Response, 'locals'>, { ip }: Pick<Request, 'ip'>): Caller {
  const team = teamOf(response);
  if (team !== undefined) return { name: callerTeam(team), isOperator: false };
  const linked = linkedOf(response);
  if (linked !== undefined)
    return { name: `link ${JSON.stringify([linked.partition, linked.allocation])}`, isOperator: false };
  return { name: callerAddress(ip), isOperator: true };
}

/** The client that waits for a response. */
export const clientOf = (response: Response): Client => ({
  ...callerOf(response, response.req),
  gone: goneWith(response),
});
