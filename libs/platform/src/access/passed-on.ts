import { createHash, createHmac, hkdfSync, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';
import { z } from 'zod';
import type { Actor } from './acting.js';

const prefix = 'passed.';
/** Long enough for clocks that differ somewhat. A body may arrive later: only the beginning of the request counts. */
const validMs = 30_000;
const mostCharacters = 4096;

const shape = z.strictObject({
  /** Only these come from a connection, which the next service does not see. */
  actor: z.strictObject({
    issuer: z.enum(['mtls', 'local']),
    subject: z.string(),
    address: z.string().optional(),
  }),
  /** The service that it is for. */
  to: z.string(),
  /** Good for one request. */
  id: z.uuid(),
  method: z.string(),
  target: z.string(),
  content: z.string(),
  madeAt: z.number(),
});

type Target = Pick<Request, 'method' | 'originalUrl'>;

/** What a request says besides its method and target. Absent: it has none. */
export interface Content {
  headers: Readonly<Record<string, string>> | IncomingHttpHeaders;
  body: string | Uint8Array;
}

/** A digest of the body, and of the headers that decide what it does, base64url. */
export function digestOfContent({ headers, body }: Content): string {
  const deciding = ['content-type', 'if-match', 'if-none-match'].map((name) => headers[name] ?? null);
  return createHash('sha256')
    .update(`${JSON.stringify(deciding)}\n`)
    .update(body)
    .digest('base64url');
}

/**
 * What the console sends in place of a token, where a certificate or a socket said who the caller is: it names the caller, and is good for one
 * request with this method, target and content to this service, within half a minute. Its key is made from the secret that both services have
 * (`sharedSecretOf`).
 *
 * @param to the name of the service: `config ingest`.
 * @param request as it is sent on, not as it came.
 */
export function passOn(
  secret: string,
  actor: Actor,
  to: string,
  { method, originalUrl: target, ...content }: Target & Content,
): string {
  const { issuer, subject, address } = actor;
  const passed = {
    ...{ actor: { issuer, subject, address }, to, id: randomUUID(), method, target },
    ...{ content: digestOfContent(content), madeAt: Date.now() },
  };
  const payload = Buffer.from(JSON.stringify(passed)).toString('base64url');
  return `${prefix}${payload}.${signed(keyFrom(secret), payload)}`;
}

/** Who a request comes from, if its content is the one of this digest (`digestOfContent`). */
export interface PassedOn {
  actor: Actor;
  content: string;
}

/** Reads what `passOn` wrote, each once in this process. */
export class PassedOnCallers {
  private readonly key: Buffer;
  /** The ids of those that were read, with the time from which each is too old anyway, in the order in which they were read. */
  private readonly used = new Map<string, number>();

  /** @param self the name of this service. */
  constructor(
    secret: string,
    private readonly self: string,
  ) {
    this.key = keyFrom(secret);
  }

  /** @returns undefined: it carries nothing of the kind, or it is wrong, old, used before, or for another request or service. */
  read(text: string, { method, originalUrl }: Target): PassedOn | undefined {
    if (!text.startsWith(prefix) || text.length > mostCharacters) return undefined;
    const [payload = '', signature = '', ...rest] = text.slice(prefix.length).split('.');
    const [given, expected] = [Buffer.from(signature), Buffer.from(signed(this.key, payload))];
    if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
      return undefined;
    const { data } = shape.safeParse(parsed(Buffer.from(payload, 'base64url').toString()));
    // A service of another version may write it otherwise.
    if (data === undefined) return undefined;
    const { actor, to, id, content, madeAt, ...passed } = data;
    if (to !== this.self || passed.method !== method || passed.target !== originalUrl) return undefined;
    if (Math.abs(Date.now() - madeAt) > validMs || !this.use(id)) return undefined;
    const { issuer, subject, address } = actor;
    return { actor: { issuer, subject, ...(address !== undefined && { address }) }, content };
  }

  /** @returns false if it was used before. Only holders of the secret make ids, so there are as many as requests that are passed on. */
  private use(id: string): boolean {
    const now = performance.now();
    for (const [old, until] of this.used) {
      if (until > now) break;
      this.used.delete(old);
    }
    if (this.used.has(id)) return false;
    // One that was made ahead of this clock is good for as long again.
    this.used.set(id, now + 2 * validMs + 1);
    return true;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const keyFrom = (secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', 'curtail: callers that are passed on, v2', 32));

const signed = (key: Buffer, payload: string): string =>
  createHmac('sha256', key).update(payload).digest('base64url');
