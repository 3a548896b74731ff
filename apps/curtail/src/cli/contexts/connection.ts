import { existsSync, readFileSync } from 'node:fs';
import { defaultPartition } from '#contracts/ground';
import type { Terminal } from '../terminal/terminal.js';
import { readCertificate } from './certificate.js';
import { type Context, configPath } from './config-content.js';
import type { ConfigFile } from './config-file.js';

export const defaultServer = 'http://127.0.0.1:8080';

/** Options of the command line that select a server. */
export interface ConnectionOptions {
  server?: string | undefined;
  token?: string | undefined;
  context?: string | undefined;
  partition?: string | undefined;
  clientCert?: string | undefined;
  clientKey?: string | undefined;
}

/** A value, and what set it: `--server`, `CURTAIL_SERVER`, `context lab`, or `default`. */
export interface Sourced<T = string> {
  value: T;
  from: string;
}

/** What a command connects to, and why. */
export interface Connection {
  file: string | undefined;
  context: Sourced<string | null>;
  server: Sourced;
  partition: Sourced;
  /** That of a command without `--partition`. */
  otherPartition: string;
  /** Reads the token, or runs the command that prints it; undefined if none is set. */
  token: TokenSource;
  /** The certificate that the server is shown, and its key; undefined: none. */
  certificate?: CertificateSource | undefined;
}

interface CertificateSource {
  /** Both in PEM. @throws CommandError for files that cannot be used. */
  read: () => { cert: string; key: string };
  /** The path of the certificate. */
  file: string;
  from: string;
}

interface TokenSource {
  value: () => string | undefined;
  from: string;
  /** Of a login: the token, renewed if need be. */
  fresh?: () => Promise<string>;
}

/**
 * Options take precedence over the environment, the environment over the current context. A context that `--context` names takes
 * precedence over the environment, as an option does. The token of a context goes to the server of that context alone; where the
 * chosen context has none for the server, that of any other context with this server is used, such as the one that `curtail start` writes.
 */
export async function connectionOf(env: Terminal['env'], options: ConnectionOptions): Promise<Connection> {
  const path = configPath(env);
  if (options.context === undefined && (path === undefined || !existsSync(path)))
    return selected(env, options, { name: undefined, context: {}, token: none });
  // These load yaml, which a command without a file need not wait for.
  const [{ contextNamed, readConfigFile, resolvedPath }, { tokenOf }, { contextOfServer }, { freshToken }] =
    await Promise.all([
      import('./config-file.js'),
      import('./credentials.js'),
      import('./local-context.js'),
      import('./login.js'),
    ]);
  const file = readConfigFile(env);
  const name = options.context ?? file?.content.currentContext;
  const context = name === undefined ? {} : contextNamed(file, name);
  const sourceOf = ({ credentials }: Context, from: string): TokenSource => ({
    value: () => credentials && tokenOf(credentials, file!.path, env),
    from,
    ...(credentials?.login !== undefined && {
      fresh: () => freshToken(resolvedPath(credentials.login!, file!.path, env)),
    }),
  });
  const ofServer = (server: string) => {
    const found = file && contextOfServer(file.content, server);
    return found && sourceOf(found.context, `context ${found.name}`);
  };
  return selected(env, options, {
    ...{ file, name, context, ofServer },
    pathOf: (path) => resolvedPath(path, file!.path, env),
    token: sourceOf(context, `context ${name}`),
  });
}

const none: TokenSource = { value: () => undefined, from: 'default' };

interface Selected {
  file?: ConfigFile | undefined;
  name: string | undefined;
  context: Context;
  token: TokenSource;
  /** The path of a file that the context names. */
  pathOf?: (path: string) => string;
  /** The token of any context for a server. */
  ofServer?: (server: string) => TokenSource | undefined;
}

function selected(
  env: Terminal['env'],
  options: ConnectionOptions,
  { file, name, context, token, pathOf, ofServer }: Selected,
): Connection {
  const ofContext = `context ${name}`;
  const withoutOption = (variable: string, value: string | undefined, otherwise: string): Sourced => {
    const inContext = value === undefined ? [] : [{ value, from: ofContext }];
    const inEnvironment = env[variable] ? [{ value: env[variable], from: variable }] : [];
    const ordered =
      options.context === undefined ? [...inEnvironment, ...inContext] : [...inContext, ...inEnvironment];
    return ordered[0] ?? { value: otherwise, from: 'default' };
  };
  const first = (option: 'server' | 'partition', otherwise: Sourced): Sourced => {
    const given = options[option];
    return given === undefined ? otherwise : { value: given, from: `--${option}` };
  };
  const partition = withoutOption('CURTAIL_PARTITION', context.partition, defaultPartition);
  const server = first('server', withoutOption('CURTAIL_SERVER', context.server, defaultServer));
  const isItsServer = server.value === (context.server ?? defaultServer);
  const fromContext = context.credentials !== undefined && isItsServer ? token : undefined;
  const fromEnvironment = tokenFromEnvironment(env);
  const inOrder =
    options.context === undefined ? [fromEnvironment, fromContext] : [fromContext, fromEnvironment];
  return {
    file: file?.path,
    context: {
      value: name ?? null,
      from: options.context !== undefined ? '--context' : name === undefined ? 'default' : file!.path,
    },
    server,
    partition: first('partition', partition),
    otherPartition: partition.value.toLowerCase(),
    certificate: certificateOf(
      env,
      options,
      isItsServer && pathOf ? { context, pathOf, from: ofContext } : undefined,
    ),
    token:
      options.token === undefined
        ? (inOrder.find((one) => one !== undefined) ?? ofServer?.(server.value) ?? none)
        : { value: () => options.token, from: '--token' },
  };
}

/** As services read it: the token itself, or a file with it. */
function tokenFromEnvironment({ CURTAIL_TOKEN: token, CURTAIL_TOKEN_FILE: path }: Terminal['env']) {
  if (token) return { value: () => token, from: 'CURTAIL_TOKEN' };
  return path ? { value: () => readFileSync(path, 'utf8').trim(), from: 'CURTAIL_TOKEN_FILE' } : undefined;
}

type CertificateContext = { context: Context; pathOf: (path: string) => string; from: string };

/** That of the options, the environment or the context, in the order of all settings: a certificate and its key from the same one. */
function certificateOf(
  env: Terminal['env'],
  options: ConnectionOptions,
  ofContext: CertificateContext | undefined,
): CertificateSource | undefined {
  const source = (cert: string | undefined, key: string | undefined, from: string) =>
    cert || key ? { cert, key, from } : undefined;
  const { clientCert, clientKey } = ofContext?.context ?? {};
  const pathOf = (path: string | undefined) => (path === undefined ? undefined : ofContext!.pathOf(path));
  const inEnvironment = source(
    env.CURTAIL_CLIENT_CERT_FILE,
    env.CURTAIL_CLIENT_KEY_FILE,
    'CURTAIL_CLIENT_CERT_FILE',
  );
  const inContext = source(pathOf(clientCert), pathOf(clientKey), ofContext?.from ?? '');
  const found =
    source(options.clientCert, options.clientKey, '--client-cert') ??
    (options.context === undefined ? (inEnvironment ?? inContext) : (inContext ?? inEnvironment));
  if (found === undefined) return undefined;
  const { cert, key, from } = found;
  return { file: cert ?? '-', from, read: () => readCertificate(cert, key) };
}
