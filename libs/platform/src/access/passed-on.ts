import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import { z } from 'zod';
import type { Actor } from './acting.js';

const prefix = 'passed.';
/** Long enough for clocks that differ somewhat, and for a body on its way. */
const validMs = 120_000;
const mostCharacters = 4096;

const shape = z.strictObject({
  /** Only these come from a connection, which the next service does not see. */
  actor: z.strictObject({
    issuer: z.enum(['mtls', 'local']),
    subject: z.string(),
    address: z.string().optional(),
  }),
  method: z.string(),
  target: z.string(),
  madeAt: z.number(),
});

type Passed = Pick<Request, 'method' | 'originalUrl'>;

/**
 * What the console sends in place of a token, where a certificate or a socket said who the caller is: it names the caller, and is good for requests
 * with this method and target, for two minutes. It covers no body: who can read it on its way could send another. Its key is made from the secret
 * that both services have (`sharedSecretOf`).
 * The target is the one of the request that is sent on, not of the one that came.
 */
export function passOn(token: string, actor: Actor, { method, originalUrl: target }: Passed): string {
  const { issuer, subject, address } = actor;
  const passed = { actor: { issuer, subject, address }, method, target, madeAt: Date.now() };
  const payload = Buffer.from(JSON.stringify(passed)).toString('base64url');
  return `${prefix}${payload}.${signed(token, payload)}`;
}

/** @returns who a request comes from; undefined: it carries nothing of the kind, or it is wrong, old or for another request. */
export function readPassedOn(
  token: string,
  text: string,
  { method, originalUrl }: Passed,
): Actor | undefined {
  if (!text.startsWith(prefix) || text.length > mostCharacters) return undefined;
  const [payload = '', signature = '', ...rest] = text.slice(prefix.length).split('.');
  const [given, expected] = [Buffer.from(signature), Buffer.from(signed(token, payload))];
  if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
    return undefined;
  const { data } = shape.safeParse(parsed(Buffer.from(payload, 'base64url').toString()));
  // A service of another version may write it otherwise.
  if (data === undefined) return undefined;
  const { actor, madeAt, ...passed } = data;
  if (passed.method !== method || passed.target !== originalUrl) return undefined;
  if (Math.abs(Date.now() - madeAt) > validMs) return undefined;
  const { issuer, subject, address } = actor;
  return { issuer, subject, ...(address !== undefined && { address }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const signed = (token: string, payload: string): string =>
  createHmac(
    'sha256',
    Buffer.from(hkdfSync('sha256', token, '', 'curtail: callers that are passed on, v1', 32)),
  )
    .update(payload)
    .digest('base64url');
