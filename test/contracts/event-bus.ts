import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { append, NewerEvent, openDatabase, StreamConflict } from '#event-store';
import { type ConsumerStatus, type EventBus, EventNotReady, type WaitingConsumer } from '#messaging';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { marker, markers } from '../support/events.js';
import { Recorded } from '../support/recorded.js';
import { createRecords, Recorder } from '../support/recorder.js';

export interface BusSettings {
  url: string;
  database: DataSource;
  onParked: (consumer: string, eventId: string, reason: string) => void;
  onError: (consumer: string, error: Error) => void;
  onWait: (waiting: WaitingConsumer) => void;
}
export interface MadeBus {
  bus: EventBus;
  /** Releases its resources, after `bus.stop()`. */
  close(): Promise<void>;
}

/** The contract of every adapter of the EventBus port. Each test has its own database. */
export function eventBusContract(name: string, makeBus: (settings: BusSettings) => Promise<MadeBus>): void {
  describe(`event bus: ${name}`, () => {
    let server: TestDatabase;
    let db: DataSource;
    let made: MadeBus[];
    let parked: Recorded<string>;
    let errors: Error[];
    let waits: Recorded<WaitingConsumer>;
    let versions: Map<string, number>;
    beforeEach(async () => {
      server = await createMigratedDatabase();
      db = await openDatabase(server.url, { poolSize: 20 });
      await createRecords(db);
      made = [];
      parked = new Recorded();
      errors = [];
      waits = new Recorded();
      versions = new Map();
    });
    afterEach(async () => {
      await Promise.all(made.map(({ bus }) => bus.stop()));
      await Promise.all(made.map(({ close }) => close()));
      await db.destroy();
      await server.drop();
    });

    async function startBus(...recorders: Recorder[]): Promise<EventBus> {
      const one = await makeBus({
        url: server.url,
        database: db,
        onParked: (_consumer, _event, reason) => parked.add(reason),
        onError: (_consumer, error) => errors.push(error),
        onWait: (waiting) => waits.add(waiting),
      });
      made.push(one);
      for (const recorder of recorders) one.bus.subscribe(recorder);
      await one.bus.start();
      return one.bus;
    }
    /** Appends numbered markers named after the stream: a1, a2, … */
    async function put(stream: string, count = 1): Promise<void> {
      const from = versions.get(stream) ?? 0;
      versions.set(stream, from + count);
      const events = Array.from({ length: count }, (_, i) =>
        marker(`${stream}${from + i + 1}`, `root.${stream}`),
      );
      await db.transaction((tx) => append(tx, [markers(stream, from, ...events)]));
    }
    /** The status once no consumer is behind: a test may see a committed effect before the bus records it. */
    async function settled(bus: EventBus): Promise<ConsumerStatus[]> {
      for (;;) {
        const status = await bus.status();
        if (status.every(({ lag, ageSeconds }) => lag === 0 && ageSeconds === 0)) return status;
      }
    }
    const numbered = (stream: string, count: number) =>
      Array.from({ length: count }, (_, i) => `${stream}${i + 1}`);
    const only = (names: string[], stream: string) => names.filter((one) => one.startsWith(stream));

    describe('of a dead letter that is to be retried', () => {
      const ask = (consumer: string) =>
        db.query('UPDATE dead_letters SET retry_asked_at = now() WHERE consumer = $1', [consumer]);
      const letters = () => db.query('SELECT consumer, reason, attempts, retry_asked_at FROM dead_letters');

      it('handles the event once, if that succeeds now, and deletes the letter with it', async () => {
        let mended = false;
        const recorder = new Recorder(db, 'one', {
          onHandle: (names) => {
            if (names.includes('a2') && !mended) throw new TypeError('a slip of the pen');
          },
        });
        await startBus(recorder);
        await put('a', 3);
        expect(await recorder.committed.first(2)).toEqual(['a1', 'a3']);
        await parked.first(1);
        mended = true;
        await ask('one');
        expect(await recorder.committed.first(3)).toEqual(['a1', 'a3', 'a2']);
        expect(await letters()).toEqual([]);
        expect(await recorder.records()).toEqual(['a1', 'a3', 'a2']);
      });

      it('handles others meanwhile, if it waits for something', async () => {
        const errorsOf = new Map<string, Error>(['a1', 'a2'].map((name) => [name, new TypeError('a slip')]));
        const recorder = new Recorder(db, 'one', {
          onHandle: (names) => {
            for (const name of names) if (errorsOf.has(name)) throw errorsOf.get(name);
          },
        });
        await startBus(recorder);
        await put('a', 2);
        await parked.first(2);
        errorsOf.set('a1', new EventNotReady('not now'));
        errorsOf.delete('a2');
        await db.query(
          `UPDATE dead_letters d SET retry_asked_at = now() + make_interval(secs => e.version)
           FROM events e WHERE e.id = d.event_id`,
        );
        expect(await recorder.committed.first(1)).toEqual(['a2']);
        expect(await letters()).toMatchObject([{ reason: 'a slip', retry_asked_at: expect.any(Date) }]);
        errorsOf.clear();
        expect(await recorder.committed.first(2)).toEqual(['a2', 'a1']);
      });

      it('parks it again with the new reason, and counts the attempts', async () => {
        let slip = 'slip first';
        const recorder = new Recorder(db, 'one', {
          onEffects: () => {
            throw new TypeError(slip);
          },
        });
        await startBus(recorder);
        await put('a');
        await parked.first(1);
        slip = 'slip again';
        await ask('one');
        expect(await parked.first(2)).toEqual(['slip first', 'slip again']);
        expect(await letters()).toEqual([
          { consumer: 'one', reason: 'slip again', attempts: 2, retry_asked_at: null },
        ]);
        expect(await recorder.records()).toEqual([]);
      });
    });

    describe('of a dead letter that nobody has asked to retry', () => {
      const pauses = async (): Promise<number[]> => {
        const rows: { pause: number }[] = await db.query(
          `SELECT extract(epoch FROM retry_at - clock_timestamp())::float8 AS pause FROM dead_letters WHERE consumer = 'one'`,
        );
        return rows.map(({ pause }) => pause);
      };
      const itsTimeHasCome = () => db.query('UPDATE dead_letters SET retry_at = now()');

      it('handles the event by itself, again and again until that succeeds, and reports it once', async () => {
        let isBroken = true;
        let tries = 0;
        const recorder = new Recorder(db, 'one', {
          onHandle: () => {
            tries++;
            if (isBroken) throw new TypeError('a slip of the pen');
          },
        });
        const bus = await startBus(recorder);
        await put('a');
        await parked.first(1);
        const [first] = await pauses();
        expect(first).toBeGreaterThan(0);
        expect(first).toBeLessThanOrEqual(5);
        const before = tries;
        await itsTimeHasCome();
        let again: number | undefined;
        while (again === undefined) again = (await pauses()).find((pause) => pause > first!);
        expect(again).toBeLessThanOrEqual(10);
        expect(tries).toBe(before + 1);
        isBroken = false;
        await itsTimeHasCome();
        expect(await recorder.committed.first(1)).toEqual(['a1']);
        expect(parked.all).toHaveLength(1);
        expect(await settled(bus)).toContainEqual({ name: 'one', lag: 0, ageSeconds: 0, parked: 0 });
      });
    });

    it('delivers earlier and later events to every consumer, once, in order within a key', async () => {
      const [one, two] = [new Recorder(db, 'one'), new Recorder(db, 'two', { batchSize: 3 })];
      await put('a', 10);
      await startBus(one, two);
      for (let i = 0; i < 10; i++) await Promise.all([put('a'), put('b'), put('c', 2)]);
      for (const recorder of [one, two]) {
        await recorder.committed.first(50);
        const records = await recorder.records();
        expect(records).toHaveLength(50);
        expect(only(records, 'a')).toEqual(numbered('a', 20));
        expect(only(records, 'b')).toEqual(numbered('b', 10));
        expect(only(records, 'c')).toEqual(numbered('c', 20));
      }
      expect(Math.max(...two.batches.all.map((batch) => batch.length))).toBeLessThanOrEqual(3);
      expect(errors).toEqual([]);
    });

    it('delivers no events of other topics to a consumer', async () => {
      const quota = new Recorder(db, 'quota', { topics: ['curtail.quota'] });
      const control = new Recorder(db, 'control');
      const bus = await startBus(quota, control);
      await put('a', 300);
      await control.committed.first(300);
      expect(quota.batches.all).toEqual([]);
      expect(await settled(bus)).toContainEqual({ name: 'quota', lag: 0, ageSeconds: 0, parked: 0 });
    });

    it('delivers no events of its topics that a consumer does not handle, and records nothing about them', async () => {
      const switches = new Recorder(db, 'switches', { events: ['KillSwitchSet'] });
      const all = new Recorder(db, 'all');
      const bus = await startBus(switches, all);
      await put('a', 20);
      await db.transaction((tx) =>
        append(tx, [
          {
            stream: 'switch',
            partition: 'p',
            expectedVersion: 0,
            events: [
              {
                event: { name: 'KillSwitchSet', data: { partition: 'p', queue: null, by: 's1' } },
                at: new Date(),
                key: 'p',
              },
            ],
          },
        ]),
      );
      await switches.committed.first(1);
      await all.committed.first(21);
      expect(switches.batches.all).toEqual([['s1']]);
      expect(await settled(bus)).toContainEqual({ name: 'switches', lag: 0, ageSeconds: 0, parked: 0 });
      const marks = await db.query<unknown[]>("SELECT 1 FROM inbox WHERE consumer = 'switches'");
      expect(marks).toHaveLength(1);
    });

    it('does not skip events that commit late', async () => {
      const recorder = new Recorder(db, 'one');
      await startBus(recorder);
      await put('a');
      await recorder.committed.first(1);
      await db.transaction(async (late) => {
        await append(late, [markers('late', 0, marker('late1', 'root.late'))]);
        await put('a');
      });
      await recorder.committed.first(3);
      expect((await recorder.records()).sort()).toEqual(['a1', 'a2', 'late1']);
    });

    it('continues where it stopped', async () => {
      const before = new Recorder(db, 'one');
      const first = await startBus(before);
      await put('a', 3);
      await before.committed.first(3);
      await first.stop();
      await put('a', 2);
      const after = new Recorder(db, 'one');
      await startBus(after);
      expect(await after.committed.first(2)).toEqual(['a4', 'a5']);
      expect(await after.records()).toEqual(numbered('a', 5));
    });

    it('lets a batch in progress end before stop() returns', async () => {
      const entered = new Recorded<boolean>();
      let goOn = () => {};
      const gate = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const recorder = new Recorder(db, 'one', {
        onEffects: () => {
          entered.add(true);
          return gate;
        },
      });
      const bus = await startBus(recorder);
      await put('a', 2);
      await entered.first(1);
      let isStopped = false;
      const stopped = bus.stop().then(() => {
        isStopped = true;
      });
      await db.query('SELECT 1');
      expect(isStopped).toBe(false);
      goOn();
      await stopped;
      expect(await recorder.records()).toEqual(recorder.batches.all.flat());
    });

    it('writes no effect of a batch that fails, and all effects of one that succeeds', async () => {
      let failures = 3;
      const recorder = new Recorder(db, 'one', {
        onEffects: () => {
          if (failures-- > 0) throw new Error('broken');
        },
      });
      await put('a', 4);
      await startBus(recorder);
      await recorder.committed.first(4);
      expect(await recorder.records()).toEqual(numbered('a', 4));
      expect(parked.all).toEqual([]);
    });

    it('parks events that cannot be handled, with the reason; all others continue in their order', async () => {
      const poison = new Set(['a3', 'b1', 'b2', 'c20']);
      const recorder = new Recorder(db, 'one', {
        onHandle: (names) => {
          const bad = names.find((one) => poison.has(one));
          if (bad) throw new Error(`cannot stomach ${bad}`);
        },
      });
      const neighbour = new Recorder(db, 'two');
      await put('a', 5);
      await put('b', 2);
      await put('c', 20);
      const bus = await startBus(recorder, neighbour);
      await put('a', 1);
      await recorder.committed.first(24);
      const records = await recorder.records();
      expect(only(records, 'a')).toEqual(['a1', 'a2', 'a4', 'a5', 'a6']);
      expect(only(records, 'b')).toEqual([]);
      expect(only(records, 'c')).toEqual(numbered('c', 19));
      await neighbour.committed.first(28);

      const reasons = await parked.first(4);
      expect([...reasons].sort()).toEqual([...poison].sort().map((one) => `cannot stomach ${one}`));
      const letters = await db.query(
        'SELECT consumer, topic, key, type, reason FROM dead_letters ORDER BY reason',
      );
      expect(letters).toHaveLength(4);
      expect(letters[0]).toEqual({
        consumer: 'one',
        topic: 'curtail.control',
        key: 'root.a',
        type: 'io.curtail.killswitch.cleared.v1',
        reason: 'cannot stomach a3',
      });
      expect(await settled(bus)).toEqual(
        expect.arrayContaining([
          { name: 'one', lag: 0, ageSeconds: 0, parked: 4 },
          { name: 'two', lag: 0, ageSeconds: 0, parked: 0 },
        ]),
      );
    });

    it.each([
      ['type', "type = 'io.curtail.killswitch.forgotten.v1'", { type: 'io.curtail.killswitch.forgotten.v1' }],
      ['schema version', 'schema_version = 7', { schemaVersion: 7 }],
    ])(
      'waits at an event of a newer %s: nothing is marked or parked, and it is reported once',
      async (_, change, reported) => {
        const recorder = new Recorder(db, 'one');
        await put('a', 4);
        await db.query(`UPDATE events SET ${change} WHERE version = 3`);
        const bus = await startBus(recorder);
        expect(await recorder.committed.first(2)).toEqual(['a1', 'a2']);
        const [waiting] = await waits.first(1);
        expect(waiting).toMatchObject({ consumer: 'one', ...reported });
        expect(bus.waiting()).toEqual([waiting]);
        await put('a', 1);
        await bus.stop();
        expect([waits.all.length, parked.all, errors]).toEqual([1, [], []]);
        expect(await recorder.records()).toEqual(['a1', 'a2']);
        const marks = await db.query<unknown[]>(
          `SELECT 1 FROM inbox i JOIN events e ON e.id = i.event_id WHERE i.consumer = 'one' AND e.version > 2`,
        );
        expect(marks).toEqual([]);
      },
    );

    it('continues in order where it waited, in a process that knows the event', async () => {
      const older = new Recorder(db, 'one');
      await put('a', 4);
      await db.query('UPDATE events SET schema_version = 7 WHERE version = 3');
      const waitingBus = await startBus(older);
      await waits.first(1);
      await waitingBus.stop();
      // No process of this build would know it, so it becomes one that it knows.
      await db.query('UPDATE events SET schema_version = 1 WHERE version = 3');
      const newer = new Recorder(db, 'one');
      const bus = await startBus(newer);
      expect(await newer.committed.first(2)).toEqual(['a3', 'a4']);
      expect(bus.waiting()).toEqual([]);
      expect(await newer.records()).toEqual(numbered('a', 4));
    });

    it('does not wait at an event that a consumer does not handle, whatever its version', async () => {
      const switches = new Recorder(db, 'switches', { events: ['KillSwitchSet'] });
      await put('a', 2);
      await db.query('UPDATE events SET schema_version = 7');
      await db.transaction((tx) =>
        append(tx, [
          {
            stream: 'switch',
            partition: 'default',
            expectedVersion: 0,
            events: [
              {
                event: { name: 'KillSwitchSet', data: { partition: 'default', queue: null, by: 's1' } },
                key: 'root.a',
              },
            ],
          },
        ]),
      );
      await startBus(switches);
      expect(await switches.committed.first(1)).toEqual(['s1']);
      expect([waits.all, parked.all]).toEqual([[], []]);
    });

    it('waits when an event needs data of a newer release', async () => {
      const recorder = new Recorder(db, 'one', {
        onHandle: (names) => {
          if (names.includes('a2')) throw new NewerEvent('0', 'io.curtail.plan.replaced.v1', 1, undefined);
        },
      });
      await put('a', 3);
      const bus = await startBus(recorder);
      expect(await recorder.committed.first(1)).toEqual(['a1']);
      expect(await waits.first(1)).toMatchObject([{ type: 'io.curtail.plan.replaced.v1' }]);
      await bus.stop();
      expect([await recorder.records(), parked.all]).toEqual([['a1'], []]);
    });

    it('parks events that violate the schema of a known version', async () => {
      const recorder = new Recorder(db, 'one');
      await put('a', 3);
      await db.query(`UPDATE events SET data = '{"by": 7}' WHERE version = 2`);
      await startBus(recorder);
      expect(await recorder.committed.first(2)).toEqual(['a1', 'a3']);
      expect((await parked.first(1))[0]).toContain('breaks its schema at data.');
    });

    it.each([
      ['a conflict', () => new StreamConflict('another was quicker')],
      ['what is on its way', () => new EventNotReady('not there yet')],
    ])('tries again after %s', async (_, passing) => {
      let failures = 7;
      const recorder = new Recorder(db, 'one', {
        onHandle: () => {
          if (failures-- > 0) throw passing();
        },
      });
      await put('a');
      await startBus(recorder);
      expect(await recorder.committed.first(1)).toEqual(['a1']);
      expect(parked.all).toEqual([]);
    });

    it('never doubles an effect when two buses have the same consumers', async () => {
      const pair = () =>
        [new Recorder(db, 'one', { batchSize: 4 }), new Recorder(db, 'two', { batchSize: 7 })] as const;
      const [ours, theirs] = [pair(), pair()];
      await put('a', 20);
      await Promise.all([startBus(...ours), startBus(...theirs)]);
      for (let i = 0; i < 20; i++) await Promise.all([put('a'), put('b', 2)]);
      for (const side of [0, 1] as const) {
        const done = new Recorded<string>();
        for (const recorder of [ours[side], theirs[side]]) recorder.committed.forward(done);
        await done.first(80);
        const records = await ours[side].records();
        expect(records).toHaveLength(80);
        expect(only(records, 'a')).toEqual(numbered('a', 40));
        expect(only(records, 'b')).toEqual(numbered('b', 40));
      }
      expect(parked.all).toEqual([]);
    });
  });
}
