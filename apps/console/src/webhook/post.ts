import { createHmac } from 'node:crypto';
import { within } from '#waiting';

/** The result of an attempt to deliver a message. */
export type Posted =
  | { delivered: true }
  /** `error` is half a sentence without the address, which may hold secrets. */
  | { delivered: false; error: string; retryAfter?: number | undefined };

const ok = (status: number) => status >= 200 && status < 300;
const isRedirect = (status: number) => status >= 300 && status < 400;

/**
 * Posts a body. Nothing of the answer but its status and Retry-After is read, and a redirect is not followed: it could lead
 * anywhere, with a body that is meant for this address.
 *
 * @throws the reason of `stopping`, once that is aborted.
 */
export async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  { timeoutMs, stopping }: { timeoutMs: number; stopping?: AbortSignal },
): Promise<Posted> {
  try {
    return await within({ ms: timeoutMs, signals: [stopping] }, async (signal) => {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'Curtail', ...headers },
        body,
        redirect: 'manual',
        signal,
      });
      await answer.body?.cancel();
      const { status } = answer;
      if (ok(status)) return { delivered: true };
      const error = isRedirect(status) ? `it answered ${status}, a redirect` : `it answered ${status}`;
      return { delivered: false, error, retryAfter: secondsOf(answer.headers.get('retry-after')) };
    });
  } catch (error) {
    stopping?.throwIfAborted();
    return { delivered: false, error: reasonOf(error, timeoutMs) };
  }
}

/** Receivers that name a date instead get the usual delay. */
function secondsOf(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined;
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } };
  if (name === 'TimeoutError') return `it did not answer within ${timeoutMs / 1000} s`;
  const code = cause?.code;
  return `it cannot be reached${typeof code === 'string' && /^[A-Z_0-9]{1,60}$/.test(code) ? ` (${code})` : ''}`;
}

/**
 * The headers of a message by Standard Webhooks 1.0: docs/how-to/webhook.md, "Verify a message".
 *
 * @param secrets each `whsec_` and a key in base64; one signature for each.
 * @param at seconds since 1970, of this attempt. It is signed, so that a receiver can refuse old messages.
 */
export function signedHeaders(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: number; body: string },
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signatures.join(' ') };
}
