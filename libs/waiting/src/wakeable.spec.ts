import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Wakeable } from './wakeable.js';

describe('a sleep', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('ends after its time, and not before', async () => {
    const sleep = jest.fn(() => {});
    const sleeping = new Wakeable().sleep(100).then((woken) => {
      sleep();
      return woken;
    });
    await jest.advanceTimersByTimeAsync(99);
    expect(sleep).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(await sleeping).toBe(false);
  });

  it('ends with a wake', async () => {
    const wakeable = new Wakeable();
    const sleeping = wakeable.sleep(100);
    wakeable.wake();
    expect(await sleeping).toBe(true);
  });

  it('ends at once after an earlier wake, which counts once', async () => {
    const wakeable = new Wakeable();
    wakeable.wake();
    wakeable.wake();
    expect(wakeable.isWoken).toBe(true);
    expect(await wakeable.sleep(100)).toBe(true);
    expect(wakeable.isWoken).toBe(false);
    const sleeping = wakeable.sleep(100);
    await jest.advanceTimersByTimeAsync(100);
    expect(await sleeping).toBe(false);
  });

  it('does not end with a wake that is forgotten', async () => {
    const wakeable = new Wakeable();
    wakeable.wake();
    wakeable.forget();
    const sleeping = wakeable.sleep(100);
    await jest.advanceTimersByTimeAsync(100);
    expect(await sleeping).toBe(false);
  });

  it('ends with its signal, even one aborted before, and leaves no listener on it', async () => {
    const wakeable = new Wakeable();
    const stopping = new AbortController();
    const add = jest.spyOn(stopping.signal, 'addEventListener');
    const remove = jest.spyOn(stopping.signal, 'removeEventListener');
    const first = wakeable.sleep(100, stopping.signal);
    wakeable.wake();
    await first;
    expect(remove.mock.calls).toEqual(add.mock.calls);

    const second = wakeable.sleep(100, stopping.signal);
    stopping.abort();
    expect(await second).toBe(false);
    expect(await wakeable.sleep(100, stopping.signal)).toBe(false);
  });
});
