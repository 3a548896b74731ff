import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** An address of IPv6 without the brackets that it has in a URL. */
export function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

/** Whether a host name or address (`127.0.0.1`, `::1`, `[::1]`, `localhost`) stays on this machine. */
export function isLoopback(host: string): boolean {
  const bare = bareHost(host).toLowerCase();
  if (bare === 'localhost') return true;
  const version = isIP(bare);
  // The list also covers addresses of IPv4 within IPv6 (::ffff:127.0.0.1).
  return version !== 0 && loopback.check(bare, version === 4 ? 'ipv4' : 'ipv6');
}
