import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { quietRequests, requestQueue } from './quiet-requests.js';

interface Queue {
  push(request: object): void;
  fulfillRequest(response: object): void;
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

  function open(): { queue: Queue; sent: number[]; push(correlationId: number): void } {
    const Queue = requestQueue() as unknown as new (options: object) => Queue;
    const logger = { debug: () => {}, warn: () => {} };
    const queue = new Queue({ requestTimeout: 1000, clientId: 'test', broker: 'b:1', logger });
    const sent: number[] = [];
    const push = (correlationId: number) =>
      queue.push({
        entry: { correlationId, resolve: () => {}, reject: () => {} },
        expectResponse: true,
        sendRequest: () => sent.push(correlationId),
      });
    return { queue, sent, push };
  }

  it('leave no timer behind once they are answered', () => {
    const { queue, sent, push } = open();
    push(1);
    queue.fulfillRequest({ correlationId: 1, payload: Buffer.alloc(0), size: 0 });
    expect(sent).toEqual([1]);
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
});
