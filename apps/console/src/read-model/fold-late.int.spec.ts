import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { EventName } from '#contracts';
import { beginning, type KnownEvent, known, readPage } from '#event-store';
import { advanceCursor, lockCursor } from '#messaging';
import { Metrics } from '#platform';
import { Chance } from '../../../../test/support/chance.js';
import { writeGeneratedLog } from '../../../../test/support/generated-log/write.js';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { readModel } from '../../../../test/support/replays.js';
import { FoldEvents } from './fold-events.js';
import { enforcementEvents } from './fold-run.js';
import { victimEvents } from './fold-victim.js';
import { MeasureEvents } from './measure-events.js';
import { addMissing, runsWithMissing } from './missing-victims.js';
import { readModelConsumer } from './statements.js';

const pageSize = 100;
const reader = () => new FoldEvents(new MeasureEvents(new Metrics()), null, { soon: () => {} });

let db: DataSource;
let log: KnownEvent[];
let expected: Record<string, unknown[]>;

withMigratedDatabase(async (given) => {
  db = given;
  await writeGeneratedLog(db, 500);
  log = (await readPage(db, beginning, { limit: 10_000, maxBytes: 1e9 })).events.map(known);
  await empty();
  await fold(log);
  expected = await shown();
});
beforeEach(() => empty());

async function empty(): Promise<void> {
  await db.query(
    'TRUNCATE read_runs, read_victims, read_notices, read_victims_missing, subscriptions RESTART IDENTITY',
  );
}

/** As the consumer does, page by page; those that it could not handle are left out, and its place is behind them all the same. */
async function fold(events: readonly KnownEvent[], parked: (event: KnownEvent) => boolean = () => false) {
  const consumer = reader();
  for (let from = 0; from < events.length; from += pageSize) {
    const page = events.slice(from, from + pageSize);
    const effects = await consumer.handle(page.filter((event) => !parked(event)));
    await db.transaction(async (tx) => {
      await lockCursor(tx, readModelConsumer);
      await advanceCursor(tx, readModelConsumer, page.at(-1)!);
      await effects(tx);
    });
  }
}

async function foldLate(events: readonly KnownEvent[]): Promise<void> {
  const consumer = reader();
  for (const event of events) {
    const effects = await consumer.handleLate(event);
    await db.transaction(async (tx) => {
      await effects(tx);
    });
  }
  await addAllMissing();
}

async function addAllMissing(): Promise<void> {
  for (const run of await runsWithMissing(db)) await addMissing(db, run, () => true);
  expect(await runsWithMissing(db)).toEqual([]);
}

function shuffled<T>(chance: Chance, all: readonly T[]): T[] {
  return all
    .map((one) => ({ one, place: chance.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);
}

/** Notices that are added late are in another order. */
async function shown(): Promise<Record<string, unknown[]>> {
  const { runs, victims, notices } = await readModel(db);
  return { runs: runs!, victims: victims!, notices: notices!.map((one) => JSON.stringify(one)).sort() };
}

const types: EventName[] = [...enforcementEvents, ...victimEvents];
/** The generated log has none of them. */
const others: EventName[] = [
  'EnforcementSkipped',
  'RoundStarted',
  'EnforcementHeld',
  'VictimNotified',
  'PlanApproved',
  'VictimRefused',
  'VictimFailed',
];

describe('events that the read model could not fold in their turn', () => {
  it.each(types.filter((name) => !others.includes(name)))(
    'are folded later as if they had been, all of a type: %s',
    async (name) => {
      const parked = log.filter((event) => event.name === name);
      expect(parked.length).toBeGreaterThan(0);
      await fold(log, (event) => event.name === name);
      await foldLate(parked);
      expect(await shown()).toEqual(expected);
    },
  );

  it.each([1, 2, 3])(
    'may be any, and are folded later in any order, while the log grows, seed %s',
    async (seed) => {
      const chance = new Chance(seed);
      const parked = new Set(log.filter(() => chance.below(4) === 0));
      const middle = Math.floor(log.length / 2);
      await fold(log.slice(0, middle), (event) => parked.has(event));
      const later = new Set([...parked].filter((event) => log.indexOf(event) > middle || chance.hits(0.5)));
      await foldLate(
        shuffled(
          chance,
          [...parked].filter((event) => !later.has(event)),
        ),
      );
      await fold(log.slice(middle), (event) => parked.has(event));
      expect(await shown()).not.toEqual(expected);
      await foldLate(shuffled(chance, [...later]));
      expect(await shown()).toEqual(expected);
    },
  );

  it('change nothing a second time', async () => {
    await fold(log);
    await foldLate(log.filter((_, i) => i % 3 === 0));
    expect(await shown()).toEqual(expected);
  });
});
