import { readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { openDatabase } from '#event-store';
import { withoutSubject } from '../../libs/enforcement/testing/without-subject.js';
import { createMigratedDatabase } from '../support/database.js';
import { historyIn, namesIn, putHistory, type Results, resultsOf } from './history.js';

const folder = new URL('./', import.meta.url);
const recorded = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name: version }) =>
    readdirSync(new URL(`${version}/`, folder))
      .filter((file) => file.endsWith('.jsonl'))
      .map((file) => `${version}/${file.replace('.jsonl', '')}`),
  );
const read = (file: string) => readFileSync(new URL(file, folder), 'utf8');

describe('histories that earlier releases have recorded', () => {
  it.each(recorded)('%s replays to the same plans, runs, clocks and rows', async (name) => {
    const database = await createMigratedDatabase();
    const db = await openDatabase(database.url);
    try {
      const history = historyIn(read(`${name}.jsonl`));
      await putHistory(db, history);
      const results = await resultsOf(db);
      const before: Results = JSON.parse(read(`${name}.results.json`));
      expect(results.plans).toEqual(before.plans);
      expect(results.plans).toMatchObject({ same: results.plans.plans, different: [], notKept: 0 });
      expect(results.plans.plans).toBeGreaterThan(0);
      // Later releases may say more than before, and must not say anything else.
      expect(results).toMatchObject(before);
    } finally {
      await db.destroy();
      await database.drop();
    }
  });

  it('cover every policy, operators, stops and an abandoned run', () => {
    const names = new Set(recorded.flatMap((name) => [...namesIn(historyIn(read(`${name}.jsonl`)))]));
    for (const name of [
      ...['PlanApproved', 'PlanRejected', 'CancelRequested', 'KillSwitchSet', 'KillSwitchCleared'],
      ...[
        'RoundStarted',
        'VictimNotified',
        'StarvationChanged',
        'TimerStarted',
        'EnforcementReleased',
        'VictimEvicted',
      ],
    ]) {
      expect(names).toContain(name);
    }
    const texts = recorded.map((name) => read(`${name}.jsonl`)).join('');
    for (const text of [
      '"lease-ended"',
      '"fenced"',
      '"stopped"',
      '"quota-decrease"',
      '"intra-queue"',
      '"fair-share"',
    ])
      expect(texts).toContain(text);
  });

  it('say of each notice and reason what it is about', () => {
    for (const name of recorded) {
      const { events } = historyIn(read(`${name}.jsonl`));
      const unnamed = events.flatMap(({ type, data }) => withoutSubject({ name: type, data } as never));
      expect([name, unnamed]).toEqual([name, []]);
    }
  });

  it('are small', () => {
    const bytes = recorded.flatMap((name) =>
      [`${name}.jsonl`, `${name}.results.json`].map((file) => statSync(new URL(file, folder)).size),
    );
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(1_000_000);
  });
});
