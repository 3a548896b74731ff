import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BullmqWakeUpQueue, probeRedis, type RedisOptions, type WakeUp } from '#timers';
import {
  type Authority,
  makeAuthority,
  type RedisServer,
  startRedis,
} from '../../../../scripts/infra/index.js';
import { Recorded } from '../../../../test/support/recorded.js';

const password = 'open-sesame-open';

describe('BullmqWakeUpQueue on a Redis with TLS and an ACL user', () => {
  let authority: Authority;
  let server: RedisServer;
  let redis: RedisOptions;
  beforeAll(async () => {
    authority = await makeAuthority();
    // As docs/how-to/run.md gives it.
    const users = { timer: `on >${password} ~{curtail}:* &{curtail}:* +@all -@dangerous +info +client` };
    server = await startRedis({ authority, users });
    redis = { url: server.secureUrl('timer', password), tls: { ca: authority.ca } };
  });
  afterAll(() => server.remove());

  it('wakes with rights to no more than its own keys', async () => {
    const errors: Error[] = [];
    const wakeUpQueue = BullmqWakeUpQueue.openOnRedis({
      redis,
      name: 'secured',
      onError: (error) => errors.push(error),
    });
    const wakeUps = new Recorded<WakeUp>();
    await wakeUpQueue.listen(async (wakeUp) => wakeUps.add(wakeUp));
    const due = new Date(Date.now() + 100);
    const one: WakeUp = { kind: 'quota', partition: 'default', name: 'root.a', generation: 1, dueAt: due };
    wakeUpQueue.whenForgotten(() => wakeUpQueue.arm([one]));
    expect(await wakeUps.first(1)).toEqual([one]);
    await wakeUpQueue.close();
    expect(errors).toEqual([]);
  });

  it.each([
    ['a wrong password', () => ({ url: server.secureUrl('timer', 'wrong-wrong-wrong') }), 'WRONGPASS'],
    ['no password', () => ({ url: server.secureUrl() }), 'NOAUTH'],
    ['another authority', async () => ({ tls: { ca: (await makeAuthority()).ca } }), 'certificate'],
    ['a prefix that is not its own', () => ({ prefix: '{other}' }), 'NOPERM'],
  ])('reports %s, but no password', async (_what, wrong, message) => {
    const errors = new Recorded<Error>();
    const options = { ...redis, ...(await wrong()) } as RedisOptions;
    const wakeUpQueue = BullmqWakeUpQueue.openOnRedis({
      redis: options,
      name: 'refused',
      onError: (error) => errors.add(error),
    });
    wakeUpQueue.whenForgotten(async () => {});
    await errors.until((error) => error.message.includes(message));
    await wakeUpQueue.close();
    expect(errors.all.map(String).join('\n')).not.toMatch(/open-sesame|wrong-wrong/);
  });

  it('answers whether it is there', async () => {
    await probeRedis(redis);
    await expect(
      probeRedis({ ...redis, url: server.secureUrl('timer', 'wrong-wrong-wrong') }),
    ).rejects.toThrow('WRONGPASS');
    await expect(probeRedis({ ...redis, tls: {} })).rejects.toThrow('certificate');
  });
});
