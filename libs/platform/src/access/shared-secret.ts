import type { GeneralSettings } from '../settings/service-settings.js';

/**
 * What the services of one Curtail know and nobody else: CURTAIL_TOKEN, or without it a signature that only their signing key makes, and that
 * is published nowhere. Keys are derived from it: those of owners' links, and of callers that are passed on. Undefined: there is neither.
 */
export const sharedSecretOf = ({
  token,
  signingKey,
}: Partial<Pick<GeneralSettings, 'token' | 'signingKey'>>): string | undefined =>
  token ?? signingKey?.sign('curtail: the secret that services share, v1').signature;
