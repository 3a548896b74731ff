import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { quietRequests, requestQueue } from './quiet-requests.js';

interface Queue {
  push(request: object): void;
  fulfillRequest(response: object): void;
  scheduleRequestTimeoutCheck(): void;
  destroy(): void;
  maybeThrottle(ms: number): void;
}

describe('requests of a connection', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    quietRequests();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  function open(requestTimeout = 1000) {
    const Queue = requestQueue() as unknown as new (options: object) => Queue;
    const logger = { debug: () => {}, warn: () => {} };
    const options = { requestTimeout, enforceRequestTimeout: true, clientId: 'test', broker: 'b:1', logger };
    const queue = new Queue(options);
    const sent: number[] = [];
    const late: number[] = [];
    const push = (correlationId: number) =>
      queue.push({
        entry: { correlationId, resolve: () => {}, reject: () => late.push(correlationId) },
        expectResponse: true,
        sendRequest: () => sent.push(correlationId),
      });
    return { queue, sent, late, push };
  }

  it('leave no timer behind once they are answered', () => {
    const { queue, sent, push } = open();
    push(1);
    queue.fulfillRequest({ correlationId: 1, payload: Buffer.alloc(0), size: 0 });
    expect(sent).toEqual([1]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('are checked when they can be late, and given up a second after their time at the latest', () => {
    const { queue, late, push } = open(10_000);
    const timers = jest.spyOn(globalThis, 'setTimeout');
    queue.scheduleRequestTimeoutCheck();
    jest.advanceTimersByTime(500);
    push(1);
    jest.advanceTimersByTime(9000);
    push(2);
    jest.advanceTimersByTime(1000);
    expect(late).toEqual([]);
    jest.advanceTimersByTime(1000);
    expect(late).toEqual([1]);
    jest.advanceTimersByTime(8001);
    expect(late).toEqual([1, 2]);
    // At the longest time of a request, at the soonest a second later, and for the second request.
    expect(timers.mock.calls.map(([, ms]) => ms).slice(0, 3)).toEqual([10_000, 1000, 8501]);
    queue.destroy();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('of all connections are checked with one timer', () => {
    const connections = [open(10_000), open(10_000)];
    for (const { queue, push } of connections) {
      queue.scheduleRequestTimeoutCheck();
      push(1);
    }
    expect(jest.getTimerCount()).toBe(1);
    connections[0]!.queue.destroy();
    jest.advanceTimersByTime(11_000);
    expect(connections.map(({ late }) => late)).toEqual([[], [1]]);
    connections[1]!.queue.destroy();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('that the broker throttles are sent when the throttle time is over', () => {
    const { queue, sent, push } = open();
    queue.maybeThrottle(200);
    push(1);
    expect(sent).toEqual([]);
    jest.advanceTimersByTime(250);
    expect(sent).toEqual([1]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('that the broker throttles leave no timer behind when the connection ends', () => {
    const { queue, push } = open();
    queue.maybeThrottle(200);
    push(1);
    expect(jest.getTimerCount()).toBe(1);
    queue.destroy();
    expect(jest.getTimerCount()).toBe(0);
  });
});
