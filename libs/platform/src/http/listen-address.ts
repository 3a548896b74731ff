import type { AccessSettings } from '../access/access-control.js';
import type { GeneralSettings } from '../settings/service-settings.js';
import { SettingsError } from '../settings/settings-error.js';
import { isLoopback } from './loopback.js';

export type ListenSettings = Pick<GeneralSettings, 'host'> & Partial<AccessSettings>;

/**
 * The loopback rule: where callers need no credential Curtail listens on loopback only, since every caller that reaches it can have work evicted.
 * @throws SettingsError with the remedy, also where no caller could have a credential.
 */
export function assertListenAddress(settings: ListenSettings): void {
  const {
    host,
    token,
    tokensFile,
    oidcIssuer,
    oidcAudience,
    oidcClientId,
    teamsFile,
    policyFile,
    tlsClientCa,
  } = settings;
  if ((oidcIssuer === undefined) !== (oidcAudience === undefined)) {
    const [absent, set] =
      oidcAudience === undefined
        ? ['CURTAIL_OIDC_AUDIENCE', 'CURTAIL_OIDC_ISSUER']
        : ['CURTAIL_OIDC_ISSUER', 'CURTAIL_OIDC_AUDIENCE'];
    throw new SettingsError([
      {
        variable: absent,
        wrong: `is not set, but ${set} is: a token is accepted only of that issuer, and only for that audience`,
        remedy: `set ${absent}, or leave out ${set}`,
      },
    ]);
  }
  if (oidcClientId !== undefined && oidcIssuer === undefined) {
    throw new SettingsError([
      {
        variable: 'CURTAIL_OIDC_ISSUER',
        wrong: 'is not set, but CURTAIL_OIDC_CLIENT_ID is: nobody could log in',
        remedy: 'set CURTAIL_OIDC_ISSUER, or leave out CURTAIL_OIDC_CLIENT_ID',
      },
    ]);
  }
  // A certificate names a caller, and only the policy file gives that caller rights.
  const hasCertificates = tlsClientCa !== undefined && policyFile !== undefined;
  const hasCredentials =
    Boolean(token) || tokensFile !== undefined || oidcIssuer !== undefined || hasCertificates;
  if (!hasCredentials && (teamsFile !== undefined || policyFile !== undefined)) {
    const set = teamsFile === undefined ? 'CURTAIL_POLICY_FILE' : 'CURTAIL_TEAMS_FILE';
    throw new SettingsError([
      {
        variable: 'CURTAIL_TOKEN',
        wrong: `is not set, but ${set} is: without a credential no operator could get in`,
        remedy: `set CURTAIL_TOKEN, CURTAIL_TOKENS_FILE or CURTAIL_OIDC_ISSUER for the operators, or leave out ${set}`,
      },
    ]);
  }
  if (hasCredentials || isLoopback(host)) return;
  throw new SettingsError([
    {
      variable: 'CURTAIL_TOKEN',
      wrong: `is not set, but CURTAIL_HOST = ${JSON.stringify(host)} can be reached from other machines`,
      remedy:
        'set CURTAIL_TOKEN to a secret of at least 16 characters (for example the output of: openssl rand -hex 24), ' +
        'or listen on 127.0.0.1 only',
    },
  ]);
}
