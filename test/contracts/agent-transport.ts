import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  Agent,
  type AgentTransport,
  type AnnouncedToAgent,
  type FromCurtail,
  type Message,
  type RequestToAgent,
  Sequence,
} from '#agents';
import type { DomainEvent, EventData } from '#contracts';
import { catalog } from '#contracts/events';
import type { Outgoing } from '#event-store';
import { NodesOnly } from '../support/nodes-only.js';
import { Recorded } from '../support/recorded.js';

/** A transport, its other end, and the connection between them. */
export interface TransportUnderTest {
  /** Opens a new transport on the same connection. */
  open(): AgentTransport;
  /** The messages that Curtail has received, in their order. */
  arrived: Recorded<Message>;
  /** Sends an event of Curtail; resolves when it can no longer be lost. */
  emit(event: DomainEvent): Promise<void>;
  /** The connection is lost, until `restore`. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** The partition of the listening agent; others are sent about other partitions. */
export const partition = 'here';

/** The promises of every adapter of the port `AgentTransport`. */
export function agentTransportContract(name: string, make: () => Promise<TransportUnderTest>): void {
  describe(`agent transport: ${name}`, () => {
    let line: TransportUnderTest;
    let transports: AgentTransport[];
    beforeAll(async () => {
      line = await make();
    }, 120_000);
    beforeEach(() => {
      transports = [];
    });
    afterEach(() => Promise.all(transports.map((transport) => transport.stop())));
    afterAll(async () => {
      await line?.close();
    }, 60_000);

    /** A transport that listens, and the messages it receives. */
    async function listen(): Promise<{ transport: AgentTransport; received: Recorded<string> }> {
      const received = new Recorded<string>();
      const transport = line.open();
      transports.push(transport);
      await transport.start({
        evict: ({ evictionId }) => received.add(`evict ${evictionId}`),
        announce: ({ allocation }) => received.add(`announce ${allocation}`),
        answered: ({ kind, data }) => received.add(`${kind} ${data.id}`),
        recorded: ({ kind, data }) => received.add(`${kind} ${data.allocation}`),
        configuration: ({ kind, data }) => received.add(`${kind} ${data.submission}`),
      } satisfies FromCurtail);
      return { transport, received };
    }
    const confirmations = (from: number, count: number): Message[] =>
      Array.from({ length: count }, (_, index) => ({
        event: { name: 'InventoryConfirmed', data: { partition, lastSequence: from + index } },
        key: partition,
      }));
    const arrivedFrom = (all: readonly Message[], least: number) =>
      all.flatMap(({ event }) =>
        event.name === 'InventoryConfirmed' && (event.data.lastSequence ?? 0) >= least
          ? [event.data.lastSequence as number]
          : [],
      );
    const inOrder = (numbers: number[]) => numbers.filter((one, index) => numbers.indexOf(one) === index);
    const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

    it('delivers every message of an agent, in their order', async () => {
      const { transport } = await listen();
      await Promise.all([
        transport.send(confirmations(1000, 50)),
        transport.send(confirmations(1050, 1)),
        transport.send(confirmations(1051, 49)),
      ]);
      const all = await line.arrived.when((some) => arrivedFrom(some, 1000).includes(1099));
      expect(inOrder(arrivedFrom(all, 1000))).toEqual(range(1000, 100));
      await transport.stop();
    });

    it('delivers each kind of message unchanged', async () => {
      const { transport } = await listen();
      const evictionId = randomUUID();
      const messages: Message[] = [
        {
          event: { name: 'NodeAdded', data: { partition, sequence: 7, id: 'n', labels: { zone: 'ü' } } },
          key: 'n',
        },
        {
          event: { name: 'EvictionAnswered', data: { evictionId, attempt: 2, answer: 'gone' } },
          key: 'root.a',
        },
        {
          event: {
            name: 'ConfigSubmitted',
            data: { partition, submission: evictionId, configuration: { partitions: [] } },
          },
          key: partition,
        },
      ];
      await transport.send(messages);
      await line.arrived.when((all) =>
        messages.every((one) => all.some((other) => JSON.stringify(one) === JSON.stringify(other))),
      );
      await transport.stop();
    });

    it('delivers requests, announcements, results of answers and outcomes of configurations to the agent', async () => {
      const { transport, received } = await listen();
      const submission = randomUUID();
      await line.emit({ name: 'EvictionRequested', data: request(submission) });
      await line.emit({ name: 'EvictionAnnounced', data: announcement(submission) });
      await line.emit({ name: 'OwnerAnswered', data: answered(submission) });
      await line.emit({ name: 'ConfigRefused', data: refusal(submission) });
      const wanted = ['evict', 'announce', 'accepted', 'refused'].map((what) => `${what} ${submission}`);
      await received.when((all) => wanted.every((one) => all.includes(one)));
      await transport.stop();
    });

    it('delivers what Curtail has recorded of its evictions to the agent, and no other outcome', async () => {
      const { transport, received } = await listen();
      const [gone, lost, evicted] = [randomUUID(), randomUUID(), randomUUID()];
      await line.emit({ name: 'VictimGone', data: victimGone(gone, 'gone') });
      await line.emit({ name: 'VictimGone', data: victimGone(lost, 'gone-after-request') });
      await line.emit({ name: 'VictimEvicted', data: victimEvicted(evicted) });
      await received.when((all) =>
        [`unknown ${lost}`, `evicted ${evicted}`].every((one) => all.includes(one)),
      );
      expect(received.all.filter((one) => one.endsWith(gone))).toEqual([]);
      await transport.stop();
    });

    it('keeps messages for the next agent while none listens', async () => {
      await (await listen()).transport.stop();
      const submission = randomUUID();
      await line.emit({ name: 'EvictionRequested', data: request(submission) });
      const { transport, received } = await listen();
      await received.until((one) => one === `evict ${submission}`);
      await transport.stop();
    });

    it('fails to send while the connection is lost, and sends and receives again when it is back', async () => {
      const { transport, received } = await listen();
      await transport.send(confirmations(2000, 1));
      await line.cut();
      await expect(transport.send(confirmations(2001, 1))).rejects.toThrow();
      const submission = randomUUID();
      const sent = line.emit({ name: 'EvictionRequested', data: request(submission) });
      await line.restore();
      await sent;
      await received.until((one) => one === `evict ${submission}`);
      await again(() => transport.send(confirmations(2002, 1)));
      const all = await line.arrived.when((some) => arrivedFrom(some, 2000).includes(2002));
      const arrived = inOrder(arrivedFrom(all, 2000));
      expect(arrived.filter((one) => one !== 2001)).toEqual([2000, 2002]);
      await transport.stop();
    });

    it('loses nothing that an agent knows: a send that failed is followed by a whole listing', async () => {
      const transport = line.open();
      const cluster = new NodesOnly();
      cluster.add('before');
      const troubles = new Recorded<string>();
      const agent = new Agent({
        partition,
        reports: cluster,
        evictor: { evict: async () => ({ answer: 'gone' }), announce: async () => {} },
        transport,
        sequence: new Sequence(Date.now()),
        now: () => Date.now(),
        onTrouble: (what) => troubles.add(what),
      });
      const from = line.arrived.all.length;
      await agent.start();
      const listings = (all: readonly Message[]) =>
        all.slice(from).flatMap(({ event }) => (event.name === 'InventoryListed' ? [event.data] : []));
      await line.arrived.when((all) => listings(all).length > 0);
      await line.cut();
      cluster.add('while it was lost');
      cluster.remove('before');
      await troubles.until((what) => what === 'Could not send reports; retrying');
      await line.restore();
      const all = await line.arrived.when(
        (some) => listings(some).at(-1)?.nodes?.[0]?.id === 'while it was lost',
      );
      expect(
        listings(all)
          .at(-1)
          ?.nodes?.map(({ id }) => id),
      ).toEqual(['while it was lost']);
      await agent.stop();
    });
  });
}

/** Retries until there is no failure. */
async function again(attempt: () => Promise<void>): Promise<void> {
  for (;;) {
    const failed = await attempt().then(
      () => false,
      () => true,
    );
    if (!failed) return;
  }
}

export const request = (evictionId: string): RequestToAgent => ({
  partition,
  queue: 'root.a',
  application: 'a',
  allocation: 'a/1',
  uid: 'u',
  evictionId,
  attempt: 1,
  graceSeconds: 5,
  deadlineAt: '2030-01-01T00:00:00.000Z',
  reason: 'The quota was lowered.',
});
const answered = (id: string): EventData<'OwnerAnswered'> => ({
  ...{ partition, queue: 'root.a', allocation: 'one', application: 'job', answer: 'ready', id, by: 'ann' },
  answeredAt: '2026-11-23T10:00:00.000Z',
});
const announcement = (allocation: string): AnnouncedToAgent => ({
  partition,
  queue: 'root.a',
  application: 'a',
  allocation,
  uid: 'u',
  killAt: '2030-01-01T00:00:00.000Z',
  reason: 'The quota was lowered.',
});
const refusal = (submission: string) => ({
  partition,
  submission,
  digest: 'none',
  errors: [{ path: 'partitions', message: 'there is none' }],
});

const victim = (allocation: string) => ({
  ...{ partition, enforcement: 'e-1', queue: 'root.a', victimQueue: 'root.a' },
  ...{ allocation, uid: `${allocation}-uid`, application: 'app', rank: 1 },
});

/** What Curtail records of an eviction. */
export const victimEvicted = (allocation: string): EventData<'VictimEvicted'> => ({
  ...victim(allocation),
  ...{ evictionId: randomUUID(), resources: {}, reason: 'The quota was lowered.', recovered: true },
});

const victimGone = (allocation: string, code: 'gone' | 'gone-after-request'): EventData<'VictimGone'> => ({
  ...victim(allocation),
  ...{ code, message: 'It is gone.', about: { kind: 'allocation', name: allocation } },
});

/** An event of the log, as the relay reads it. */
export const outgoing = (event: DomainEvent, time: Date): Outgoing => ({
  ...catalog[event.name],
  ...{ id: randomUUID(), stream: 's', version: 1, partition, key: 'root.a', time },
  ...{
    data: JSON.stringify(event.data),
    transactionId: '1',
    position: '1',
    traceparent: null,
    tracestate: null,
  },
});
