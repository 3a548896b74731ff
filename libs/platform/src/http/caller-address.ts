import { isIPv6 } from 'node:net';

/**
 * The address that a caller counts under: one of IPv4 as it is (also where IPv6 carries it), of IPv6 the network of 64
 * bits, since a caller with one address there has them all.
 */
export function callerAddress(ip: string | undefined): string {
  const bare = (ip ?? 'unknown').split('%')[0]!;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(bare)) return bare;
  // The parser of addresses writes every form of one address alike.
  const [head = '', tail] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(8 - before.length - after.length).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
