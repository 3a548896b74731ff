import { createHmac } from 'node:crypto';

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
