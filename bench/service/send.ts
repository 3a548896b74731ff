export const tokens = { operator: 'the-token-of-the-operators', team: 'the-token-of-a-team' };

/** A request, of a caller or without a token. */
export interface Sent {
  who: keyof typeof tokens | undefined;
  method: string;
  path: string;
  type?: string;
  body?: string | Buffer;
}

/** Sends a request, and reads its answer whole. */
export async function send(
  url: string,
  { who, method, path, type, body }: Sent,
  signal?: AbortSignal,
): Promise<{ status: number; ms: number }> {
  const began = performance.now();
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(who && { authorization: `Bearer ${tokens[who]}` }),
      ...(type && { 'content-type': type }),
    },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  });
  await response.arrayBuffer();
  return { status: response.status, ms: performance.now() - began };
}
