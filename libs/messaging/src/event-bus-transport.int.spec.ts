import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventPattern, Payload } from '@nestjs/microservices';
import type { DataSource } from 'typeorm';
import { topics } from '#contracts/events';
import { append, type KnownEvent, openDatabase, WakeListener } from '#event-store';
import type { Effects } from '#messaging';
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/database.js';
import { marker, markers } from '../../../test/support/events.js';
import { TestKafka } from '../../../test/support/kafka.js';
import { Recorded } from '../../../test/support/recorded.js';
import { createRecords, nameOf } from '../../../test/support/recorder.js';
import type { EventBus } from './event-bus.js';
import { EventBusTransport, startEventHandlers } from './event-bus-transport.js';
import { type ConsumerOptions, EVENT_BUS_TRANSPORT } from './event-handlers.js';
import { InProcessBus } from './in-process-bus.js';

const committed = new Recorded<string>();

function recordAs(consumer: string, events: KnownEvent[]): Effects {
  const names = events.map(nameOf);
  return async (tx) => {
    await tx.query('INSERT INTO records (consumer, name) SELECT $1, unnest($2::text[])', [consumer, names]);
    return () => {
      for (const name of names) committed.add(`${consumer} ${name}`);
    };
  };
}

/** Two consumers of one topic in one class, and two of several topics. */
@Controller()
class Audit {
  @EventPattern(topics.control, EVENT_BUS_TRANSPORT, { name: 'audit' })
  async note(@Payload() events: KnownEvent[]): Promise<Effects> {
    return recordAs('audit', events);
  }

  @EventPattern(topics.control, EVENT_BUS_TRANSPORT, {
    name: 'check',
    batchSize: 1,
  } satisfies ConsumerOptions)
  async check(events: KnownEvent[]): Promise<Effects> {
    if (events.length > 1) throw new Error('one at a time');
    return recordAs('check', events);
  }
}

@Controller()
class Reports {
  @EventPattern([topics.plans, topics.control], EVENT_BUS_TRANSPORT, { name: 'report' })
  async report(events: KnownEvent[]): Promise<Effects> {
    return recordAs('report', events);
  }

  @EventPattern([topics.control, topics.quota], EVENT_BUS_TRANSPORT, { name: 'summary', order: 'log' })
  async summarize(events: KnownEvent[]): Promise<Effects> {
    return recordAs('summary', events);
  }
}

@Module({ controllers: [Audit, Reports] })
class AuditModule {}

describe.each(['in process', 'over Kafka'])('EventBusTransport %s', (shape) => {
  let server: TestDatabase;
  let db: DataSource;
  let wake: WakeListener;
  let kafka: TestKafka | undefined;
  let bus: EventBus;
  let app: INestApplication;
  beforeEach(async () => {
    committed.all.length = 0;
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    await createRecords(db);
    wake = new WakeListener(server.url);
    await wake.start();
    if (shape === 'over Kafka') {
      kafka = new TestKafka(`${new URL(server.url).pathname.slice(1)}.`);
      await kafka.relay(server.url);
    }
    bus = kafka?.bus({ database: db }) ?? new InProcessBus({ database: db, wake });
    app = await NestFactory.create(AuditModule, { logger: false, abortOnError: false });
    await app.init();
  });
  afterEach(async () => {
    await app.close();
    await kafka?.close();
    await wake.stop();
    await db.destroy();
    await server.drop();
  });

  it('has each handler write its effects once, and ends with the application', async () => {
    await startEventHandlers(app, new EventBusTransport(bus));
    await db.transaction((tx) => append(tx, [markers('a', 0, marker('a1'), marker('a2'))]));
    const consumers = ['audit', 'check', 'report', 'summary'];
    await committed.when((all) => all.length >= 2 * consumers.length);
    await app.close();
    const rows = await db.query(
      'SELECT consumer, string_agg(name, $1 ORDER BY nr) AS names FROM records GROUP BY 1 ORDER BY 1',
      [' '],
    );
    expect(rows).toEqual(consumers.map((consumer) => ({ consumer, names: 'a1 a2' })));
    expect((await bus.status()).map(({ name }) => name).sort()).toEqual(consumers);
  });
});
