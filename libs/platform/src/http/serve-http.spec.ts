import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, type OnApplicationShutdown } from '@nestjs/common';
import { createLogger } from '../logging/create-logger.js';
import { Shutdown } from '../shutdown/shutdown.js';
import { settingsForTest, startSampleApp } from '../testing/sample-app.js';
import { createHttpApp } from './create-http-app.js';
import { serveHttp } from './serve-http.js';

describe('serving HTTP', () => {
  it('ends with the request under way answered, then the hooks of Nest, then the pools', async () => {
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
    const app = await createHttpApp(SlowModule, settings, { log, shutdown });
    const url = await serveHttp(app, settings);
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

  it('tells that the port is taken, and what to do', async () => {
    const sample = await startSampleApp();
    const settings = settingsForTest({ port: sample.port });
    @Module({})
    class EmptyModule {}
    const app = await createHttpApp(EmptyModule, settings, {
      log: createLogger({ ...settings, logLevel: 'silent' }),
    });
    try {
      await expect(serveHttp(app, settings)).rejects.toThrow(/is taken: stop what listens there/);
    } finally {
      await app.close();
      await sample.close();
    }
  });
});
