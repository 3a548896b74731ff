import { InputError } from '#contracts';

/**
 * The address of an HTTP API, without slashes at the end.
 *
 * @param remedy completes the error for anything else, such as `write an address such as http://rm.example:8088`.
 * @throws InputError
 */
export function httpAddress(address: string, remedy: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) throw new InputError('url', remedy);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new InputError('url', 'an address without name, password, ? and # is expected');
  }
  return url.href.replace(/\/+$/, '');
}
