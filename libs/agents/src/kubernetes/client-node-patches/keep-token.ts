import type { ExecAuth } from '@kubernetes/client-node/dist/exec_auth.js';

interface Expiry {
  expirationTimestamp?: string;
}

const neverExpires = '9999-12-31T23:59:59Z';

/**
 * Without an expiry time the library runs the program of a user for each call. This keeps its token until the server refuses it, as
 * kubectl does.
 *
 * @param user the name of the user in the kubeconfig.
 */
export function keepToken(exec: ExecAuth, user: string): void {
  const { tokenCache } = exec as unknown as { tokenCache: Record<string, { status: Expiry }> };
  const kept = tokenCache[user];
  if (kept) kept.status.expirationTimestamp ||= neverExpires;
}
