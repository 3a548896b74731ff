import { fileOf, issuerAddress } from '../access/access-settings.js';
import { readPolicy } from '../access/policy-file.js';
import { readTokens } from '../access/static-tokens.js';
import { readTeams } from '../http/teams.js';
import { signingKeyFile } from '../signing/signing-key.js';
import { address, oneOf, proxies, text, wholeNumber, yesOrNo } from './kinds.js';
import {
  constant,
  optionalSetting,
  requiredSetting,
  type Setting,
  type SettingsOf,
  setting,
} from './setting.js';

const pathOfPem = text({ min: 1, max: 4096, right: 'the path of a file' });

/** @param usual the port of this service, when none is set. */
export function portSetting(usual: number): Setting<number> {
  return setting('CURTAIL_PORT', wholeNumber({ min: 0, max: 65_535, example: 8080 }), {
    default: usual,
    help: 'Port to listen on; 0 takes a free one',
  });
}

/** The settings of every service of Curtail itself. */
export const generalSettings = {
  host: setting('CURTAIL_HOST', text({ min: 1, max: 255, right: 'an address or host name' }), {
    default: '127.0.0.1',
    help: 'Address to listen on; anything but loopback needs CURTAIL_TOKEN, CURTAIL_TOKENS_FILE or CURTAIL_OIDC_ISSUER',
  }),
  port: portSetting(8080),
  token: optionalSetting(
    'CURTAIL_TOKEN',
    text({
      min: 16,
      max: 512,
      right: '16 to 512 characters, for example the output of: openssl rand -hex 24',
    }),
    { help: 'Bearer token of administrators, who may do everything', secret: true },
  ),
  teamsFile: optionalSetting('CURTAIL_TEAMS_FILE', fileOf('a file of teams', readTeams), {
    help: 'File of teams, each with a token for the configuration of the queues below its own; read again when it changes',
  }),
  auth: setting('CURTAIL_AUTH', oneOf(['token', 'none']), {
    default: 'token',
    help: 'none: on loopback, callers need no token where nothing else sets one; token: `curtail start` makes one',
  }),
  tokensFile: optionalSetting('CURTAIL_TOKENS_FILE', fileOf('a file of named tokens', readTokens), {
    help: 'File of named tokens, each with its hash, expiry and role; read again when it changes',
  }),
  policyFile: optionalSetting('CURTAIL_POLICY_FILE', fileOf('a policy file', readPolicy), {
    help: 'File that grants roles to people and groups; read again when it changes',
  }),
  oidcIssuer: optionalSetting('CURTAIL_OIDC_ISSUER', issuerAddress, {
    help: 'OIDC issuer whose tokens are accepted; needs CURTAIL_OIDC_AUDIENCE',
  }),
  oidcAudience: optionalSetting('CURTAIL_OIDC_AUDIENCE', text({ min: 1, max: 1000 }), {
    help: 'Audience that tokens of the issuer must have',
  }),
  oidcGroupsClaim: setting('CURTAIL_OIDC_GROUPS_CLAIM', text({ min: 1, max: 200 }), {
    default: 'groups',
    help: 'Claim of those tokens that has the groups of the caller',
  }),
  oidcClientId: optionalSetting('CURTAIL_OIDC_CLIENT_ID', text({ min: 1, max: 1000 }), {
    help: 'Public client at the issuer, as which people log in on the page (authorization code with PKCE) and by `curtail login` (device flow)',
  }),
  oidcScopes: setting('CURTAIL_OIDC_SCOPES', text({ min: 1, max: 1000 }), {
    default: 'openid offline_access',
    help: 'Scopes that a login asks for, separated by spaces',
  }),
  socket: optionalSetting('CURTAIL_SOCKET', text({ min: 1, max: 100, right: 'the path of a Unix socket' }), {
    help: 'Unix socket to listen on besides, which only the user of this process can open: its callers need no token, and may do everything',
  }),
  /** The user of this machine who has the token that the start made. */
  localUser: constant<string | undefined>(undefined),
  signingKey: optionalSetting('CURTAIL_SIGNING_KEY_FILE', signingKeyFile, {
    help: 'Private key that signs exported records, checkpoints of the log, and messages of an agent; GET /v1/keys publishes its public part',
    secret: 'file',
  }),
  tlsCert: optionalSetting('CURTAIL_TLS_CERT_FILE', pathOfPem, {
    help: 'Certificate of this server in PEM, with those of its authorities; it serves HTTPS then, and a renewed one without a restart',
  }),
  tlsKey: optionalSetting('CURTAIL_TLS_KEY_FILE', pathOfPem, {
    help: 'Key of that certificate, in PEM',
    secret: 'file',
  }),
  tlsClientCa: optionalSetting('CURTAIL_TLS_CLIENT_CA_FILE', pathOfPem, {
    help: 'Authorities that sign the certificates of callers, in PEM; a caller without a token is the common name of its certificate; connections with another certificate, or without one, are refused',
  }),
  readOnly: setting('CURTAIL_READ_ONLY', yesOrNo, {
    default: false,
    help: 'yes: show and compute, but refuse all commands and changes over HTTP',
  }),
  publicOrigin: optionalSetting(
    'CURTAIL_PUBLIC_ORIGIN',
    address(['http:', 'https:'], 'an origin, for example https://curtail.example.org'),
    { help: 'Origin that browsers see behind a proxy' },
  ),
  trustProxy: optionalSetting('CURTAIL_TRUST_PROXY', proxies, {
    help: 'Proxies whose X-Forwarded-For header is trusted: their addresses, or the number of proxies in a row; unset: none',
  }),
  logLevel: setting(
    'CURTAIL_LOG_LEVEL',
    oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    {
      default: 'info',
      help: 'Minimum level of logged messages: lines for people on a terminal, JSON elsewhere',
    },
  ),
  /** Of a configuration, snapshot or scenario in a request; 100,000 queues take a third of it. Other bodies have 64 KB. */
  bodyLimitBytes: constant(32 * 1024 * 1024),
  /** Of a JSON body: 60 queues inside one another, each of which takes two levels. */
  jsonDepthLimit: constant(128),
  /** Of all headers of a request together, in bytes: the usual maximum of Node, and twice that of common proxies. */
  headerLimitBytes: constant(16 * 1024),
  /** Browsers behind proxies send some thirty. */
  headerCountLimit: constant(100),
  rateLimitPerMinute: setting('CURTAIL_RATE_LIMIT_PER_MINUTE', wholeNumber({ min: 0, max: 60_000 }), {
    default: 12_000,
    help: 'Maximum number of requests of one address or team in a minute, with the token if there is one; 0 = no limit',
  }),
  /** Of them, those that change something: fifty a second are more than a script sends that waits for its answers. */
  writeRateLimitPerMinute: constant(3000),
  /**
   * Connections without an accepted request; above it the oldest is closed. A flood of them takes little memory, and leaves most of
   * the 1024 to 65536 files that a process may open.
   */
  connectionLimit: constant(4000),
  /** For a request to arrive completely: the largest body arrives in time at 5 Mbit/s. */
  requestTimeoutSeconds: constant(60),
  /** Limit of an orderly shutdown, after which the process exits: a busy service takes a few seconds, and a supervisor kills it after 30. */
  shutdownSeconds: constant(20),
};

export type GeneralSettings = SettingsOf<typeof generalSettings>;

const postgresAddress = address(
  ['postgres:', 'postgresql:'],
  'an address such as postgres://user:password@host:5432/curtail',
);

export const databaseSettings = {
  databaseUrl: optionalSetting('DATABASE_URL', postgresAddress, {
    help: 'PostgreSQL to use; without it the embedded one is started',
    secret: true,
  }),
  databasePool: setting('CURTAIL_DATABASE_POOL', wholeNumber({ min: 4, max: 200 }), {
    default: 20,
    help: 'Maximum number of connections to the database',
  }),
  /** For a statement of a service, which takes milliseconds; the work of one that is cancelled is tried again. */
  statementSeconds: constant(60),
  /** For a statement of a query of the console, which is then answered with 504: people and pages wait no longer. */
  querySeconds: constant(15),
  /** For a statement of a replay or an archive, which read much of the log. */
  scanSeconds: constant(3600),
  /** For a statement to wait for a lock: migrations and cleanups hold theirs for less. */
  lockSeconds: constant(30),
  /** For a pause within a transaction; then the database ends its connection, since it holds back the log. */
  idleTransactionSeconds: constant(10),
};

/** Settings of a service that runs alone: it shares the database with the others. */
export const sharedDatabaseSettings = {
  ...databaseSettings,
  databaseUrl: requiredSetting('DATABASE_URL', postgresAddress, {
    help: 'The PostgreSQL that this service shares with the others',
    secret: true,
  }),
};

/** The settings of every service of Curtail; an app adds its own settings by spreading both into one schema. */
export const serviceSettings = { ...generalSettings, ...databaseSettings };

export type DatabaseSettings = SettingsOf<typeof databaseSettings>;

/** Settings of the service; not the settings of a plan. */
export type ServiceSettings = SettingsOf<typeof serviceSettings>;
