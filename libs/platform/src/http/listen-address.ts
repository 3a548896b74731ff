import { BlockList, isIP } from 'node:net';
import { SettingsError } from '../settings/settings-error.js';

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

/**
 * The loopback rule: without a token Curtail listens on loopback only, since every caller that reaches it can have work evicted.
 * @throws SettingsError with the remedy.
 */
export function assertListenAddress(host: string, token: string | undefined): void {
  if (token || isLoopback(host)) return;
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
