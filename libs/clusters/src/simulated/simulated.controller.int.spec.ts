import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  Global,
  type INestApplication,
  Module,
} from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { InputError } from '#contracts';
import { RefusedInput } from '#platform';
import { createSimulatedDatabase } from '../../../../test/support/simulated.js';
import { clear, place } from './place.js';
import { SimulatedClusterModule } from './simulated.module.js';
import { SimulatedCluster } from './simulated-cluster.js';

/** Stands for the filter of the service. */
@Catch(InputError, RefusedInput)
class BadRequest implements ExceptionFilter<InputError | RefusedInput> {
  catch(error: InputError | RefusedInput, host: ArgumentsHost): void {
    const path = error instanceof InputError ? error.path : error.errors[0]?.path;
    host.switchToHttp().getResponse<Response>().status(400).json({ path, message: error.message });
  }
}

describe('the simulated cluster over HTTP', () => {
  let dataSource: DataSource;
  let close: () => Promise<void>;
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    ({ dataSource, close } = await createSimulatedDatabase());

    @Global()
    @Module({ providers: [{ provide: DataSource, useValue: dataSource }], exports: [DataSource] })
    class Database {}

    const module = await Test.createTestingModule({ imports: [Database, SimulatedClusterModule] }).compile();
    app = module.createNestApplication({ logger: false });
    app.useGlobalFilters(new BadRequest());
    await app.listen(0, '127.0.0.1');
    url = `${await app.getUrl()}/v1/partitions/default/simulated`;
  });
  afterAll(async () => {
    await app?.close();
    await close?.();
  });
  beforeEach(() => clear(dataSource, 'default'));

  const load = (spec: unknown, at = url, accept = '*/*') =>
    fetch(`${at}/load`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify(spec),
    });

  it.each(['*/*', 'application/json', 'application/json, application/x-ndjson'])(
    'loads, and answers once it is done to callers that accept %s',
    async (accept) => {
      const response = await load({ queues: 2, allocations: 6000 }, url, accept);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toContain('application/json');
      expect(response.headers.get('vary')).toBe('Accept');
      expect(await response.json()).toEqual({
        result: expect.objectContaining({ partition: 'default', under: 'root.load', allocations: 6000 }),
      });
    },
  );

  it.each(['application/x-ndjson', 'application/x-ndjson, application/problem+json'])(
    'loads, and reports the progress line by line and the result at the end to callers that accept %s',
    async (accept) => {
      const response = await load({ queues: 2, allocations: 6000 }, url, accept);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toContain('application/x-ndjson');
      const lines = (await response.text())
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(lines).toEqual([
        { done: 0, of: 6000 },
        { done: 5000, of: 6000 },
        { done: 6000, of: 6000 },
        { result: expect.objectContaining({ partition: 'default', under: 'root.load', allocations: 6000 }) },
      ]);
    },
  );

  it('counts, and takes away below one queue', async () => {
    await (await load({ queues: 2, allocations: 40, under: 'root.x' })).text();
    await (await load({ queues: 3, allocations: 60, under: 'root.y' })).text();
    expect(await (await fetch(url)).json()).toMatchObject({ queues: 5, allocations: 100, leaving: 0 });
    const cleared = await fetch(`${url}?under=root.x`, { method: 'DELETE' });
    expect(await cleared.json()).toEqual({ applications: 2, allocations: 40 });
    expect(await (await fetch(url)).json()).toMatchObject({ queues: 3, allocations: 60 });
  });

  it.each([
    ['a specification with an unknown field', { queues: 1, allocations: 1, queue: 1 }, '', 'queue'],
    ['no body', undefined, '', 'queues'],
    ['too many allocations', { queues: 1, allocations: 1e9 }, '', 'allocations'],
    ['a name that is no partition', { queues: 1, allocations: 1 }, 'a%20b', 'partition'],
  ])('refuses %s as bad input', async (_, spec, partition, path) => {
    const response = await load(spec, partition === '' ? url : url.replace('default', partition));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ path });
  });

  it('refuses to load over work that is there', async () => {
    await place(dataSource, 'default', { applications: [{ id: 'app', queue: 'root.load' }] });
    const response = await load({ queues: 1, allocations: 1 });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      path: 'under',
      message: expect.stringContaining('clear it first'),
    });
  });

  it('puts the sample in place, once, and not beside other work', async () => {
    const sample = async () => {
      const response = await fetch(`${url}/sample`, { method: 'POST' });
      return { status: response.status, body: await response.json() };
    };
    const first = await sample();
    expect(first).toMatchObject({ status: 200, body: { applications: 7, allocations: 66, nodes: 6 } });
    expect(await sample()).toEqual(first);
    await place(dataSource, 'default', { applications: [{ id: 'app', queue: 'root.load' }] });
    expect(await sample()).toMatchObject({ status: 400, body: { path: 'partition' } });
  });

  it('refuses to clear what is no queue', async () => {
    const response = await fetch(`${url}?under=root.x&under=root.y`, { method: 'DELETE' });
    expect(response.status).toBe(400);
  });

  it('gives the driver to the rest of the application', async () => {
    expect(await app.get(SimulatedCluster).allocation('default', 'absent')).toBeUndefined();
  });
});
