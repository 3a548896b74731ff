import { describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { InventoryControl, InventoryReports } from '#clusters';
import { readStream } from '#event-store';
import { OPERATOR_DATABASE, READER_DATABASE } from '#runtime';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { deliver, inbound } from '../../../../test/support/reporting-platform.js';
import { InventoryController } from './inventory.controller.js';

describe('commands of operators on an inventory', () => {
  let db: DataSource;
  let controller: InventoryController;
  withMigratedDatabase(async (opened) => {
    db = opened;
    // A command may outlast the time limits of the reader and operator connections.
    const unused = { transaction: () => Promise.reject(new Error('not by these connections')) };
    const module = await Test.createTestingModule({
      controllers: [InventoryController],
      providers: [
        { provide: DataSource, useValue: db },
        { provide: READER_DATABASE, useValue: unused },
        { provide: OPERATOR_DATABASE, useValue: unused },
        { provide: InventoryControl, useValue: new InventoryControl(db, { staleSeconds: 60 }) },
      ],
    }).compile();
    controller = module.get(InventoryController);
  });

  const list = (sequence: number, count: number) => {
    const allocations = Array.from({ length: count }, (_, index) => ({
      id: `a${index}`,
      uid: 'u',
      application: 'app',
      queue: 'root.a',
      resources: { memory: 1 },
      startedAt: '2026-11-21T09:00:00Z',
    }));
    const data = { partition: 'default', sequence, page: 1, last: true, allocations };
    return deliver(db, new InventoryReports(), [inbound({ name: 'InventoryListed', data }, new Date())]);
  };
  const recorded = async () =>
    (await readStream(db, 'inventory-default')).map(({ type, data }) => ({ type, data }));
  const refusal = (what: Promise<unknown>) =>
    what.catch(({ problem: { status, type } }) => `${status} ${type}`);

  it('is recorded with its effect by the connections of the service, and refused where there is nothing to change', async () => {
    expect(await refusal(controller.reset({}))).toBe('404 urn:curtail:problem:unknown-partition');
    await list(1, 30);
    expect(await refusal(controller.accept({}))).toBe('409 urn:curtail:problem:no-held-listing');
    expect(await recorded()).toEqual([]);
    await list(2, 0);
    expect(await controller.accept({ by: 'ada' })).toEqual({
      partition: 'default',
      sequence: 2,
      drops: 30,
      of: 30,
    });
    await controller.reset({ by: 'ada' });
    expect(await recorded()).toMatchObject([
      {
        type: 'io.curtail.inventory.accepted.v1',
        data: { partition: 'default', sequence: 2, drops: 30, of: 30, by: 'ada' },
      },
      { type: 'io.curtail.inventory.reset.v1', data: { listedSequence: 2, newestSequence: 2, by: 'ada' } },
    ]);
    expect((await controller.status({ partition: 'Default' })).items).toMatchObject([
      { partition: 'default', known: false, notices: [{ code: 'never-listed' }] },
    ]);
  });

  it('of a partition that nothing is known of names the one that may be meant', async () => {
    await list(3, 1);
    for (const ask of [
      () => controller.status({ partition: 'defalt' }),
      () => controller.accept({ partition: 'defalt' }),
      () => controller.reset({ partition: 'defalt' }),
    ]) {
      const refused = await ask().then(
        () => undefined,
        ({ problem }) => problem,
      );
      expect(refused).toMatchObject({
        ...{ status: 404, type: 'urn:curtail:problem:unknown-partition', meant: 'default' },
        detail: 'There is no partition defalt. Did you mean default?',
      });
    }
  });

  it('is refused where the cluster is simulated', async () => {
    const simulated = new InventoryController(db, null);
    expect(await refusal(simulated.accept({}))).toBe('409 urn:curtail:problem:no-inventory');
  });
});
