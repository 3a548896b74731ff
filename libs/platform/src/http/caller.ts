import type { Response } from 'express';
import { z } from 'zod';
import type { Known } from '../access/access-control.js';
import { type Actor, recordedSender, sharedIssuer } from '../access/acting.js';
import { type Grant, limitsOf, may, mayAnywhere, type PlaceOfRight } from '../access/grants.js';
import type { TokenRefusal } from '../access/oidc.js';
import type { AccessRight } from '../access/rights.js';
import { ProblemException } from '../problems/problem.js';
import type { Team } from './teams.js';

type Answering = Pick<Response, 'locals'>;

type Identifying = () => Known | TokenRefusal | Promise<Known | TokenRefusal>;

/** @param again identifies the caller again. */
export const setKnown = (response: Answering, known: Known, again?: Identifying): void => {
  response.locals.known = known;
  if (again !== undefined) response.locals.identifyAgain = again;
  if (known.team !== undefined) response.locals.team = known.team;
};

/**
 * Identifies the caller of a long-lasting answer again, with its rights: tokens expire, and files of tokens and rights change.
 *
 * @returns false: the credential no longer counts.
 */
export async function isStillKnown(response: Answering): Promise<boolean> {
  const found = await (response.locals.identifyAgain as Identifying | undefined)?.();
  // An issuer that is away does not end what it has permitted.
  if (found === undefined || found === 'issuer-away') return true;
  if (typeof found === 'string') return false;
  setKnown(response, found);
  return true;
}

/** Who sent the request; undefined: no credential is needed here, and none was given. */
export const knownOf = (response: Answering): Known | undefined => response.locals.known;

/** What the caller may do; undefined: everything, since no credential is needed. */
export const grantsOf = (response: Answering): readonly Grant[] | undefined => knownOf(response)?.grants;

/** Whether several people may have the credential: the token of the service. */
export const isShared = ({ actor }: Known): boolean =>
  actor.issuer === sharedIssuer || actor.issuer === 'local';

/** The name that its requests count under, from all addresses; no address is like it. */
export const nameOf = ({ issuer, subject }: Actor): string => `${issuer} ${subject}`;

/** Those who may keep work from being evicted, or decide about it: they go before others. */
const operating: readonly AccessRight[] = ['stop', 'operate', 'approve', 'administer'];
export const isOperating = ({ grants, team }: Known): boolean =>
  team === undefined && mayAnywhere(grants, operating);

/** A function that tells whether the caller may read of a queue; undefined: it may read everything. */
export function readable(response: Answering): ((place: PlaceOfRight) => boolean) | undefined {
  const grants = grantsOf(response);
  if (grants === undefined || may(grants, ['read'], {})) return undefined;
  return (place) => may(grants, ['read'], place);
}

/** Whether a hold of a place concerns a caller who may read only some queues: it covers one of them, or is within. */
export function concerns(response: Answering): ((place: PlaceOfRight) => boolean) | undefined {
  const grants = grantsOf(response);
  if (grants === undefined || may(grants, ['read'], {})) return undefined;
  return ({ partition, queue }) => {
    if (partition === undefined) return false;
    if (may(grants, ['read'], { partition, queue })) return true;
    const own = limitsOf(grants, ['read'], partition) ?? [];
    return queue === undefined || queue === 'root'
      ? own.length > 0
      : own.some((limit) => limit.startsWith(`${queue}.`));
  };
}

/** @throws ProblemException 403 unless the caller has one of the rights at the place. */
export function assertMay(response: Answering, wanted: readonly AccessRight[], place: PlaceOfRight): void {
  const known = knownOf(response);
  if (known === undefined || may(known.grants, wanted, place)) return;
  throw notPermitted(known, wanted, place);
}

/**
 * The limits of a caller who may submit only some queues of a partition: the queue whose subtree has this one. Undefined: there are no
 * limits. Then it counts as a team, which cannot raise its own quota.
 */
export function submitterOf(
  response: Answering,
  partition: string,
  queue: string,
): Omit<Team, 'sha256'> | undefined {
  const known = knownOf(response);
  if (known === undefined || may(known.grants, ['submit'], { partition })) return undefined;
  const own = limitsOf(known.grants, ['submit'], partition) ?? [];
  const limit = own.find((one) => queue === one || queue.startsWith(`${one}.`));
  return { name: known.actor.subject, partition, queue: limit ?? queue };
}

export function notPermitted(
  { actor, grants, team }: Known,
  wanted: readonly AccessRight[],
  place: PlaceOfRight,
): ProblemException {
  const needed = wanted.join(' or ');
  const at = placeText(place);
  if (team !== undefined && !mayAnywhere(grants, wanted)) return notForTeams(team);
  if (team !== undefined && place.queue !== undefined)
    return notOfTeam(team, place.partition ?? 'default', place.queue);
  return new ProblemException({
    code: 'not-permitted',
    title: 'Not permitted',
    status: 403,
    detail: mayAnywhere(grants, wanted)
      ? `${actor.subject} has the right ${needed}, but not for ${at}.`
      : `${actor.subject} does not have the right ${needed}, which this needs.`,
    remedy: `Ask an administrator for a role with the right ${needed} for ${at}: a grant in the policy file.`,
  });
}

function placeText({ partition, queue }: PlaceOfRight): string {
  if (partition === undefined) return 'all partitions';
  return queue === undefined ? `partition ${partition}` : `${queue} in partition ${partition}`;
}

export const notForTeams = ({ name, queue }: Team) =>
  new ProblemException({
    code: 'not-for-teams',
    title: 'The token of a team does not permit this',
    status: 403,
    detail: `The token of team ${name} may read ${queue} and the queues below it, change their configuration, and answer for their allocations, but nothing else.`,
    remedy: 'Ask an operator.',
  });

const notOfTeam = ({ name, ...own }: Team, partition: string, queue: string) =>
  new ProblemException({
    code: 'not-your-queue',
    title: 'The queue belongs to others',
    status: 403,
    detail: `The token of team ${name} is for ${own.queue} in partition ${own.partition} and the queues below it, not for ${queue} in partition ${partition}.`,
    remedy: 'Ask the administrator of the cluster for the change.',
  });

/**
 * The field or parameter `by` of a command. Where a credential is needed, what it claims does not count: the sender is the owner of the
 * credential (`recordedSender`).
 */
export const senderField = (usual = 'operator') =>
  z
    .string()
    .trim()
    .min(1)
    .max(200)
    .overwrite(recordedSender)
    .prefault(usual)
    .describe('Who sends the command. Where a credential is needed, its owner counts instead.');
