import { describe, expect, it } from '@jest/globals';
import { kafkajs } from './kafkajs.js';
import type { KafkaConnection } from './open-kafka.js';
import { SupervisedConsumer, type SupervisedConsumerOptions } from './supervised-consumer.js';

const answer = (type: string) => new kafkajs.KafkaJSProtocolError({ message: type, type, code: 14 } as never);

/** A consumer whose clients crash with these errors, one each, and then run. @returns the crashes reported by then. */
async function reportsOf(crashes: Error[]): Promise<string[]> {
  return (await played(crashes)).reported;
}

/** @returns with each reported crash, whether the consumer counts as stopped then. */
async function played(
  crashes: Error[],
  stoppedAfter?: number,
): Promise<{ reported: string[]; stoppedBy: (string | undefined)[] }> {
  const stoppedBy: (string | undefined)[] = [];
  const reported: string[] = [];
  const rest = [...crashes];
  let runs = () => {};
  const running = new Promise<void>((resolve) => {
    runs = resolve;
  });
  const client = () => {
    let crash: (event: { payload: { error: Error } }) => void = () => {};
    return {
      events: { CRASH: 'crash', GROUP_JOIN: 'join' },
      on: (name: string, listener: typeof crash) => {
        if (name === 'crash') crash = listener;
      },
      connect: async () => {},
      subscribe: async () => {},
      run: async () => {
        const error = rest.shift();
        if (error) crash({ payload: { error } });
        else runs();
      },
      stop: async () => {},
      disconnect: async () => {},
    };
  };
  const consumer = new SupervisedConsumer({
    connection: {
      consumer: client,
      topicName: (name: string) => name,
      topicNames: (name: string) => [name],
      groupName: (name: string) => name,
      patience: { requestTimeoutMs: 1000 },
    } as unknown as KafkaConnection,
    consumer: { name: 'timer', topics: ['quota'] },
    place: { load: async () => {} },
    topics: { ready: async () => {}, forget: () => {} },
    partitionsAtOnce: 1,
    drainMs: 1000,
    restMs: { first: 1, longest: 1000 },
    stoppedAfter,
    onCrash: ({ message }: Error) => {
      reported.push(message);
      stoppedBy.push(consumer.stoppedBy());
    },
    onError: () => {},
  } as unknown as SupervisedConsumerOptions);
  consumer.start();
  await running;
  await consumer.stop();
  return { reported, stoppedBy };
}

describe('a consumer that crashes', () => {
  it('counts as stopped once it has crashed for a while, with the reason', async () => {
    const crash = () => new Error('it cannot read');
    expect((await played([crash(), crash()])).stoppedBy).toEqual([undefined, undefined]);
    expect((await played([crash(), crash()], 0)).stoppedBy).toEqual([
      expect.stringContaining('it cannot read'),
      expect.stringContaining('it cannot read'),
    ]);
  });

  it('is reported', async () => {
    expect(await reportsOf([answer('UNKNOWN_MEMBER_ID')])).toEqual([
      expect.stringContaining('UNKNOWN_MEMBER_ID'),
    ]);
  });

  it('is not reported while the coordinator loads its groups, as after the first start of a broker', async () => {
    expect(await reportsOf(Array.from({ length: 5 }, () => answer('GROUP_LOAD_IN_PROGRESS')))).toEqual([]);
  });

  it('is reported if the coordinator continues loading', async () => {
    expect(await reportsOf(Array.from({ length: 7 }, () => answer('GROUP_LOAD_IN_PROGRESS')))).toHaveLength(
      2,
    );
  });
});
