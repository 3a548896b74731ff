import { resolve } from 'node:path';
import { CommandError } from '../terminal/errors.js';

/** The path of the Unix socket that an address names; undefined: it names none. */
export function socketOf(text: string): string | undefined {
  if (!text.startsWith('unix:')) return undefined;
  const path = text.slice('unix:'.length).replace(/^\/\/(?=\/)/, '');
  if (path === '')
    throw new CommandError('--server unix: has no path: write one such as unix:/run/curtail.sock');
  return path;
}

/** The address of a server without a trailing slash. @throws CommandError for an invalid address. */
export function serverAddress(text: string): string {
  const socket = socketOf(text);
  if (socket !== undefined) return `unix:${resolve(socket)}`;
  const right = 'write one such as http://127.0.0.1:8080, or unix:PATH for a Unix socket';
  if (!URL.canParse(text))
    throw new CommandError(`--server ${JSON.stringify(text)} is not an address: ${right}`);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw new CommandError(
      '--server holds a user or a password: leave them out, and give a token with CURTAIL_TOKEN',
    );
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new CommandError(`--server ${JSON.stringify(text)} is not an http or https address: ${right}`);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new CommandError(`--server ${JSON.stringify(text)} has more than a host and a path: ${right}`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
