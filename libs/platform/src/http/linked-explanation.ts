import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { z } from 'zod';

/** What the bearer of a link may read: the explanation of one allocation, until then. */
export interface LinkedExplanation {
  partition: string;
  allocation: string;
  /** RFC 3339. */
  expiresAt: string;
  /** RFC 3339. Those made before a revocation no longer work. */
  madeAt: string;
}

/** The only address that a link opens. */
export const linkedPath = '/v1/explained';

const prefix = 'link.';
/** Longer ones are none of ours, and are not even hashed. */
const mostCharacters = 12_000;
/** Signed by this Curtail, maybe by a later release with more fields. */
const shape = z.object({
  partition: z.string(),
  allocation: z.string(),
  expiresAt: z.string(),
  madeAt: z.string(),
});

/**
 * Signs what a link opens, with a key made from the token of this Curtail: a new token ends all links, and no link tells anything of
 * the token. docs/how-to/secure.md, "Links for owners"
 */
export function linkFor(token: string, linked: LinkedExplanation): string {
  const payload = Buffer.from(JSON.stringify(linked)).toString('base64url');
  return `${prefix}${payload}.${signed(token, payload).toString('base64url')}`;
}

/** @returns what a link opens, whether it has expired or not; undefined: this Curtail has not signed it. */
export function readLink(token: string, link: string): LinkedExplanation | undefined {
  if (!link.startsWith(prefix) || link.length > mostCharacters) return undefined;
  const [payload, signature, ...rest] = link.slice(prefix.length).split('.');
  if (!payload || !signature || rest.length > 0) return undefined;
  const [given, expected] = [
    Buffer.from(signature),
    Buffer.from(signed(token, payload).toString('base64url')),
  ];
  // Compared as it is written: a decoder takes many spellings of the same bytes, and each would count as another link.
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return shape.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
}

const signed = (token: string, payload: string): Buffer =>
  createHmac('sha256', Buffer.from(hkdfSync('sha256', token, '', 'curtail: links to explanations, v1', 32)))
    .update(payload)
    .digest();

/** Whether a request is the one that a link permits. */
export const isLinkedRequest = ({ method, path }: Pick<Request, 'method' | 'path'>): boolean =>
  method === 'GET' && path === linkedPath;

export const setLinked = (response: Response, linked: LinkedExplanation): void => {
  response.locals.linked = linked;
};

/** What the link of the request opens; undefined: it carries none. */
export const linkedOf = (response: Pick<Response, 'locals'>): LinkedExplanation | undefined =>
  response.locals.linked;
