import { isAbsolute, join } from 'node:path';
import { CurtailError, isObject } from '#contracts/ground';
import type { Terminal } from '../terminal/terminal.js';

/** Where the token of a context comes from; the token itself is never in the file. */
export interface Credentials {
  tokenFile?: string;
  exec?: string[];
  /** The path of a file that `curtail login` keeps. */
  login?: string;
}
export interface Context {
  server?: string;
  partition?: string;
  credentials?: Credentials;
  /** The paths of a certificate that the server is shown, and of its key. */
  clientCert?: string;
  clientKey?: string;
}
export interface ConfigContent {
  currentContext?: string;
  contexts?: Record<string, Context>;
}

/** A field of the file that is wrong: its path, and as message what is wrong with it. */
export class WrongField extends CurtailError {
  readonly code = 'wrong-field';

  constructor(
    readonly path: readonly string[],
    message: string,
  ) {
    super(message);
  }
}

const mostCharacters = 4096;
const mostWords = 100;

/**
 * Checks the values of the file by hand: every command reads it, and loading zod takes longer than most of them.
 *
 * @throws WrongField
 */
export function contentOf(value: unknown): ConfigContent {
  const { currentContext, contexts } = fieldsOf(value, [], ['currentContext', 'contexts']);
  if (currentContext !== undefined) assertText(currentContext, ['currentContext']);
  if (contexts === undefined) return value as ConfigContent;
  if (!isObject(contexts)) throw new WrongField(['contexts'], 'is not a mapping of names to contexts');
  for (const [name, context] of Object.entries(contexts)) {
    assertText(name, ['contexts', name]);
    assertContext(context, ['contexts', name]);
  }
  return value as ConfigContent;
}

function assertContext(value: unknown, path: string[]): void {
  const known = ['server', 'partition', 'credentials', 'clientCert', 'clientKey'];
  const { server, partition, credentials, clientCert, clientKey } = fieldsOf(value, path, known);
  if (server !== undefined) assertText(server, [...path, 'server']);
  if (partition !== undefined) assertText(partition, [...path, 'partition']);
  if (credentials !== undefined) assertCredentials(credentials, [...path, 'credentials']);
  if (clientCert !== undefined) assertText(clientCert, [...path, 'clientCert']);
  if (clientKey !== undefined) assertText(clientKey, [...path, 'clientKey']);
  if ((clientCert === undefined) !== (clientKey === undefined))
    throw new WrongField(
      path,
      'needs both clientCert and clientKey, the paths of a certificate and of its key',
    );
}

function assertCredentials(value: unknown, path: string[]): void {
  const { tokenFile, exec, login } = fieldsOf(value, path, ['tokenFile', 'exec', 'login']);
  if (tokenFile !== undefined) assertText(tokenFile, [...path, 'tokenFile']);
  if (exec !== undefined) assertWords(exec, [...path, 'exec']);
  if (login !== undefined) assertText(login, [...path, 'login']);
  if ([tokenFile, exec, login].filter((one) => one !== undefined).length !== 1)
    throw new WrongField(
      path,
      'write one of tokenFile, the path of a file with the token, exec, the words of a command that prints it, and login, which curtail login writes',
    );
}

function assertWords(value: unknown, path: string[]): void {
  if (!Array.isArray(value)) throw new WrongField(path, 'is not a list of words');
  if (value.length === 0) throw new WrongField(path, 'is empty');
  if (value.length > mostWords) throw new WrongField(path, `has more than ${mostWords} words`);
  for (const [index, word] of value.entries()) assertText(word, [...path, String(index)]);
}

function assertText(value: unknown, path: string[]): void {
  if (typeof value !== 'string') throw new WrongField(path, 'is not a string');
  if (value === '') throw new WrongField(path, 'is empty');
  if (value.length > mostCharacters)
    throw new WrongField(path, `is longer than ${mostCharacters} characters`);
}

function fieldsOf(value: unknown, path: string[], known: string[]): Record<string, unknown> {
  if (!isObject(value)) throw new WrongField(path, 'is not a mapping');
  const other = Object.keys(value).find((key) => !known.includes(key));
  if (other === undefined) return value;
  const message = /token|password|secret/i.test(other)
    ? 'a secret does not belong here: put the token into a file that only you can read, and name it with credentials.tokenFile'
    : 'unknown key; known are currentContext and contexts, in a context server, partition, credentials, clientCert and clientKey, in credentials tokenFile, exec and login';
  throw new WrongField([...path, other], message);
}

/**
 * The path of the file: `CURTAIL_CONFIG`, else in the folder for configurations (XDG Base Directory Specification). Undefined without a home.
 */
export function configPath({ CURTAIL_CONFIG: named, XDG_CONFIG_HOME: xdg, HOME: home }: Terminal['env']) {
  if (named) return named;
  if (xdg && isAbsolute(xdg)) return join(xdg, 'curtail', 'config.yaml');
  return home ? join(home, '.config', 'curtail', 'config.yaml') : undefined;
}
