import { describe, expect, it } from '@jest/globals';
import { startSampleApp } from '../testing/sample-app.js';
import { Readiness, type ReadinessCheck } from './readiness.js';

describe('health', () => {
  it('reports the process as alive, whatever is down', async () => {
    const sample = await startSampleApp();
    try {
      const readiness = sample.app.get(Readiness, { strict: false });
      readiness.register({ name: 'database', check: () => Promise.reject(new Error('down')) });
      expect(await (await fetch(`${sample.url}/healthz`)).json()).toEqual({ status: 'ok' });
    } finally {
      await sample.close();
    }
  });

  it('is ready or not according to its dependencies, and names them', async () => {
    const sample = await startSampleApp();
    try {
      const readiness = sample.app.get(Readiness, { strict: false });
      class Database implements ReadinessCheck {
        readonly name = 'database';
        up = true;
        async check() {
          if (!this.up) throw new Error('connect ECONNREFUSED postgres://u:hunter22@db/x');
        }
      }
      const database = new Database();
      readiness.register({ name: 'bus', check: async () => {} });
      readiness.register(database);
      expect((await fetch(`${sample.url}/readyz`)).status).toBe(200);
      database.up = false;
      const refused = await fetch(`${sample.url}/readyz`);
      expect(refused.status).toBe(503);
      expect(refused.headers.get('content-type')).toBe('application/problem+json');
      const problem = await refused.text();
      expect(JSON.parse(problem)).toMatchObject({
        type: 'urn:curtail:problem:not-ready',
        down: ['database'],
      });
      expect(problem).not.toContain('ECONNREFUSED');
      expect(sample.lines.join('')).toContain('database (connect ECONNREFUSED postgres://u:***@db/x)');
      database.up = true;
      expect((await fetch(`${sample.url}/readyz`)).status).toBe(200);
    } finally {
      await sample.close();
    }
  });

  it('shows in the metrics which server is down, also one that hangs', async () => {
    const sample = await startSampleApp();
    try {
      const readiness = sample.app.get(Readiness, { strict: false });
      const never = new Promise<void>(() => {});
      readiness.register({ name: 'database', check: async () => {} });
      readiness.register({ name: 'kafka', check: () => never });
      readiness.register({ name: 'redis', check: () => Promise.reject(new Error('connect ECONNREFUSED')) });
      const text = await (await fetch(`${sample.url}/metrics`)).text();
      expect(text.match(/^curtail_server_down.*/gm)).toEqual([
        'curtail_server_down{server="database"} 0',
        'curtail_server_down{server="kafka"} 1',
        'curtail_server_down{server="redis"} 1',
      ]);
    } finally {
      await sample.close();
    }
  });

  it('is no longer ready during the shutdown', async () => {
    const sample = await startSampleApp();
    try {
      sample.app.get(Readiness, { strict: false }).leave();
      const response = await fetch(`${sample.url}/readyz`);
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ detail: 'Curtail is shutting down.' });
    } finally {
      await sample.close();
    }
  });
});
