import { AsyncLocalStorage } from 'node:async_hooks';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';

const file = './one-realm.mjs';
const { default: OneRealm } = await import(file);

describe('the realm of a suite', () => {
  it('is that of Node and of packages', async () => {
    expect(await readFile('/none').catch((error) => error)).toBeInstanceOf(Error);
  });

  it('is afterwards as it was before', async () => {
    const state = () => ({
      globals: Reflect.ownKeys(globalThis),
      path: process.env.PATH,
      added: process.env.CURTAIL_ADDED,
      exit: process.exit,
      now: Date.now,
      platform: process.platform,
      run: AsyncLocalStorage.prototype.run,
      handlers: process.listenerCount('SIGUSR2'),
    });
    const before = state();
    const realm = new OneRealm({ projectConfig: {} });
    Object.assign(globalThis, { added: 1 });
    Object.assign(process.env, { PATH: '', CURTAIL_ADDED: '1' });
    process.exit = () => undefined as never;
    Object.defineProperty(process, 'platform', { value: 'plan9' });
    process.on('SIGUSR2', () => {});
    realm.moduleMocker.spyOn(Date, 'now').mockReturnValue(0);
    expect(state()).not.toEqual(before);
    await realm.teardown();
    expect(state()).toEqual(before);
  });

  it('ends the storages that were entered in it', async () => {
    const realm = new OneRealm({ projectConfig: {} });
    const storage = new AsyncLocalStorage<string>();
    await storage.run('entered', async () => {
      expect(storage.getStore()).toBe('entered');
      await realm.teardown();
      expect(storage.getStore()).toBeUndefined();
    });
  });
});
