import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Readiness } from '../health/readiness.js';
import { createLogger } from '../logging/create-logger.js';
import { Shutdown } from '../shutdown/shutdown.js';
import { settingsForTest, startSampleApp } from '../testing/sample-app.js';
import { createHttpApp } from './create-http-app.js';
import { closeAtTheEnd, FrontDoor, serveHttp } from './front-door.js';

describe('serving HTTP', () => {
  it('ends after answering the request under way, then with the hooks of Nest, then the pools', async () => {
    const order: string[] = [];
    let begun: () => void = () => {};
    let goOn: () => void = () => {};
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const mayGoOn = new Promise<void>((resolve) => {
      goOn = resolve;
    });

    @Controller()
    class SlowController implements OnApplicationShutdown {
      @Get('slow')
      async slow() {
        begun();
        await mayGoOn;
        order.push('answered');
        return { done: true };
      }
      onApplicationShutdown() {
        order.push('nest');
      }
    }
    @Module({ controllers: [SlowController] })
    class SlowModule {}

    const settings = settingsForTest();
    const log = createLogger({ ...settings, logLevel: 'silent' });
    const exits: number[] = [];
    const shutdown = new Shutdown({ log, deadlineSeconds: 60, exit: (code) => exits.push(code) });
    const readiness = new Readiness();
    const door = await FrontDoor.open(settings, () => ['database']);
    closeAtTheEnd(door, readiness, shutdown);
    const { server } = door;
    const app = await createHttpApp(SlowModule, settings, { log, shutdown, readiness, server });
    const url = await serveHttp(app, door);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    shutdown.register('pools', 'the pool', () => {
      order.push('pools');
    });
    shutdown.register('workers', 'the worker', () => {
      order.push('workers');
    });

    const slow = fetch(`${url}/slow`).then((response) => response.json());
    await hasBegun;
    const ended = shutdown.run();
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    expect(order).toEqual([]);
    goOn();
    expect(await slow).toEqual({ done: true });
    await ended;
    expect(order).toEqual(['answered', 'workers', 'nest', 'pools']);
    expect(exits).toEqual([0]);
  });

  it('answers from the first moment, and on the same connection once the application exists', async () => {
    @Controller()
    class OneController {
      @Get('one')
      one() {
        return { one: 1 };
      }
    }
    @Module({ controllers: [OneController] })
    class OneModule {}
    const settings = settingsForTest();
    let missing = ['database', 'kafka'];
    const door = await FrontDoor.open(settings, () => missing);
    const log = createLogger({ ...settings, logLevel: 'silent' });
    const app = await createHttpApp(OneModule, settings, { log, server: door.server });
    try {
      expect(await (await fetch(`${door.url}/healthz`)).json()).toEqual({ status: 'ok' });
      const early = await fetch(`${door.url}/readyz`);
      expect(early.status).toBe(503);
      expect(early.headers.get('retry-after')).toBe('5');
      expect(await early.json()).toMatchObject({
        type: 'urn:curtail:problem:not-ready',
        down: ['database', 'kafka'],
      });
      expect((await fetch(`${door.url}/one`)).status).toBe(503);
      missing = [];
      expect(await (await fetch(`${door.url}/readyz`)).json()).toMatchObject({ down: ['start'] });

      await serveHttp(app, door);
      expect(await (await fetch(`${door.url}/one`)).json()).toEqual({ one: 1 });
      expect((await fetch(`${door.url}/readyz`)).status).toBe(200);
    } finally {
      door.server.closeAllConnections();
      await app.close();
    }
  });

  it('reports that the port is taken, and the remedy', async () => {
    const sample = await startSampleApp();
    try {
      const settings = settingsForTest({ port: sample.port });
      await expect(FrontDoor.open(settings, () => [])).rejects.toThrow(
        /CURTAIL_PORT \d+ of 127\.0\.0\.1 is taken: stop what listens there, or choose another port/,
      );
    } finally {
      await sample.close();
    }
  });
});
