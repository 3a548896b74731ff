import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventPattern, Payload } from '@nestjs/microservices';
import type { DataSource } from 'typeorm';
import { topics } from '#contracts/events';
import { append, type KnownEvent, openDatabase } from '#event-store';
import type { Effects } from '#messaging';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { marker, markers } from '../../../../test/support/events.js';
import { TestKafka } from '../../../../test/support/kafka.js';
import { Recorded } from '../../../../test/support/recorded.js';
import { createRecords, nameOf } from '../../../../test/support/recorder.js';
import { EVENT_BUS_TRANSPORT, EventBusTransport } from './event-bus-transport.js';

const committed = new Recorded<string>();

@Controller()
class Audit {
  @EventPattern(topics.control, EVENT_BUS_TRANSPORT, { name: 'audit' })
  async note(@Payload() events: KnownEvent[]): Promise<Effects> {
    return async (tx) => {
      await tx.query('INSERT INTO records (consumer, name) SELECT $1, unnest($2::text[])', [
        'audit',
        events.map(nameOf),
      ]);
      return () => {
        for (const event of events) committed.add(nameOf(event));
      };
    };
  }
}

@Module({ controllers: [Audit] })
class AuditModule {}

describe('EventBusTransport', () => {
  let server: TestDatabase;
  let db: DataSource;
  let kafka: TestKafka;
  let app: INestMicroservice;
  beforeEach(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    await createRecords(db);
    kafka = new TestKafka(`${new URL(server.url).pathname.slice(1)}.`);
    app = await NestFactory.createMicroservice(AuditModule, {
      strategy: new EventBusTransport(kafka.bus({ database: db })),
      logger: false,
    });
  });
  afterEach(async () => {
    await kafka.close();
    await db.destroy();
    await server.drop();
  });

  it('makes a handler of Nest a consumer: its effects are written once, and it starts and stops with the application', async () => {
    await kafka.relay(server.url);
    await app.listen();
    await db.transaction((tx) => append(tx, [markers('a', 0, marker('a1'), marker('a2'))]));
    expect(await committed.first(2)).toEqual(['a1', 'a2']);
    await app.close();
    expect(await db.query('SELECT name FROM records ORDER BY nr')).toEqual([{ name: 'a1' }, { name: 'a2' }]);
    expect(await db.query('SELECT DISTINCT consumer FROM inbox')).toEqual([{ consumer: 'audit' }]);
  });
});
