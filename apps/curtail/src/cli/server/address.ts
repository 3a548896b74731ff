import { CommandError } from '../terminal/errors.js';

/** The address of a server without a trailing slash. @throws CommandError for an invalid address. */
export function serverAddress(text: string): string {
  const right = 'write one such as http://127.0.0.1:8080';
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
