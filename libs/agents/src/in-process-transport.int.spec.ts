import { setTimeout as delay } from 'node:timers/promises';
import { catalog } from '#contracts/events';
import { beginning, type KnownEvent, openDatabase } from '#event-store';
import type { Consumer } from '#messaging';
import { agentTransportContract, partition } from '../../../test/contracts/agent-transport.js';
import { createMigratedDatabase } from '../../../test/support/database.js';
import { Recorded } from '../../../test/support/recorded.js';
import { TcpProxy } from '../../../test/support/tcp-proxy.js';
import { InProcessTransport } from './in-process-transport.js';
import type { Message } from './port.js';

agentTransportContract('in process', async () => {
  const server = await createMigratedDatabase();
  const proxy = await TcpProxy.to(server.url);
  const database = await openDatabase(proxy.url, { poolSize: 4 });
  const arrived = new Recorded<Message>();
  const taker: Consumer = {
    name: 'taker',
    topics: [],
    handle: async (events) => async () => () => {
      for (const { name, data, key } of events) arrived.add({ event: { name, data }, key } as Message);
    },
  };
  let opened: InProcessTransport | undefined;
  const bus = new Recorded<KnownEvent>();
  let handled = 0;
  let isOpen = true;
  let saying: Promise<void> = Promise.resolve();

  /** Delivers as the bus of the process does: an event until its place is stored, and only to an open transport. */
  async function bring(): Promise<void> {
    while (isOpen && opened !== undefined && handled < bus.all.length) {
      try {
        const effects = await opened.handle([bus.all[handled]!]);
        const afterCommit = effects && (await database.transaction(effects));
        handled++;
        afterCommit?.();
      } catch {
        await delay(10);
      }
    }
  }
  return {
    open: () => {
      const transport = new InProcessTransport(
        database,
        { inventory: taker, answers: taker, submissions: taker, owners: taker },
        () => new Date(),
        () => '/agents/test',
      );
      opened = transport;
      const { start, stop } = transport;
      return Object.assign(transport, {
        start: async (...args: Parameters<typeof start>) => {
          await start.apply(transport, args);
          saying = saying.then(bring);
        },
        stop: async () => {
          if (opened === transport) opened = undefined;
          await stop.apply(transport);
        },
      });
    },
    arrived,
    emit: async (event) => {
      const { type, topic } = catalog[event.name];
      bus.add({
        ...beginning,
        ...event,
        stream: 's',
        version: 1,
        id: 'i',
        type,
        topic,
        partition,
        key: 'k',
        time: new Date(),
      } as KnownEvent);
      saying = saying.then(bring);
    },
    cut: () => proxy.cut(),
    restore: () => proxy.pass(),
    close: async () => {
      isOpen = false;
      await saying;
      await database.destroy();
      await proxy.cut();
      await server.drop();
    },
  };
});
