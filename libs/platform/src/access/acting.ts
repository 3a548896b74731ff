import { AsyncLocalStorage } from 'node:async_hooks';

/** Who a request comes from, as its credential says: what the request itself claims counts for nothing. */
export interface Actor {
  /** Who vouches for the subject: the address of an OIDC issuer, else `curtail` (CURTAIL_TOKEN), `local`, `tokens`, `teams` or `mtls`. */
  issuer: string;
  subject: string;
  groups?: string[];
  /** Of the client, as far as the proxies are trusted that passed it on. */
  address?: string;
  /** What a request with the token that several people share calls its sender: nobody has checked it. */
  claimed?: string;
}

const current = new AsyncLocalStorage<Actor>();

/** Carries out work, and all that follows from it, for an actor. */
export const actingAs = <T>(actor: Actor, act: () => T): T => current.run(actor, act);

/** Whom the work is for; undefined: for Curtail itself, or for a caller that needs no credential. */
export const actorNow = (): Actor | undefined => current.getStore();

/**
 * The name that is recorded as the sender: that of the actor, if there is one. A claimed name is kept beside it only for the
 * token that several people share.
 */
export function recordedSender<T extends string | undefined>(claimed: T): string | T {
  const actor = current.getStore();
  if (actor === undefined) return claimed;
  if (
    actor.issuer === sharedIssuer &&
    claimed !== undefined &&
    claimed !== actor.subject &&
    claimed !== 'operator'
  )
    actor.claimed = claimed;
  return actor.subject;
}

/** The issuer of CURTAIL_TOKEN. */
export const sharedIssuer = 'curtail';
