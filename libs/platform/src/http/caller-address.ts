import { isIPv6 } from 'node:net';

/**
 * The address that the requests of a caller count under: an IPv4 address itself (also within IPv6), for IPv6 the 64-bit
 * network, since a caller with one address there has all of them.
 */
export function callerAddress(ip: string | undefined): string {
  const bare = (ip ?? 'unknown').split('%')[0]!;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(bare)) return bare;
  // The URL parser writes every form of an address alike.
  const [head = '', tail] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(8 - before.length - after.length).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
