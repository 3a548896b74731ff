import { describe, expect, it } from '@jest/globals';
import { callerAddress } from './client.js';
import { RequestRates } from './rate-limit.js';

describe('request rates', () => {
  it('accept requests up to the limit in a minute and return how long to wait', () => {
    let now = 60_000 * 1000 + 15_000;
    const rates = new RequestRates(() => now);
    for (let n = 0; n < 3; n++) expect(rates.take('a', 3)).toBeUndefined();
    expect(rates.take('a', 3)).toEqual({ waitSeconds: 45 });
    expect(rates.take('b', 3)).toBeUndefined();
    now += 45_000;
    // Three requests of the previous window still count in full; a third of a minute later one of them no longer
    // counts.
    expect(rates.take('a', 3)).toEqual({ waitSeconds: 20 });
    now += 20_000;
    expect(rates.take('a', 3)).toBeUndefined();
    now += 120_000;
    for (let n = 0; n < 3; n++) expect(rates.take('a', 3)).toBeUndefined();
  });

  it('drop the least recent caller when there are too many', () => {
    const rates = new RequestRates(() => 0);
    rates.take('quiet', 1);
    rates.take('busy', 2);
    for (let n = 0; n < 19_999; n++) {
      rates.take(`other-${n}`, 1);
      if (n === 0) rates.take('busy', 2);
    }
    expect(rates.take('busy', 2)).toBeDefined();
    expect(rates.take('quiet', 1)).toBeUndefined();
  });
});

describe('the address that a caller counts under', () => {
  it.each([
    ['10.1.2.3', '10.1.2.3'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    [undefined, 'unknown'],
  ])('of %s is %s', (ip, address) => {
    expect(callerAddress(ip)).toBe(address);
  });
});
