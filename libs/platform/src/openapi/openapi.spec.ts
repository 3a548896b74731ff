import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SampleApp, startSampleApp } from '../testing/sample-app.js';
import { writeOpenApi } from './set-up-open-api.js';

let sample: SampleApp;
const folder = mkdtempSync(join(tmpdir(), 'curtail-openapi-'));
beforeAll(async () => {
  sample = await startSampleApp();
});
afterAll(async () => {
  await sample.close();
  rmSync(folder, { recursive: true });
});

describe('the description of the API', () => {
  it('lists routes and the schemas of their bodies', async () => {
    const document = (await (await fetch(`${sample.url}/docs/openapi.json`)).json()) as {
      openapi: string;
      paths: Record<string, Record<string, unknown>>;
    };
    expect(document.openapi).toMatch(/^3\./);
    expect(document.paths['/v1/sample/queues/{queue}']).toHaveProperty('get');
    expect(JSON.stringify(document.paths['/v1/sample/checked'])).toContain('limits');
    expect(document.paths).not.toHaveProperty('/metrics');
  });

  it('is displayed by a page that loads nothing from elsewhere', async () => {
    const response = await fetch(`${sample.url}/docs`);
    expect(response.status).toBe(200);
    const page = await response.text();
    const sources = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
    expect(sources.length).toBeGreaterThan(2);
    for (const source of sources) {
      expect(source).not.toMatch(/^(?:https?:)?\/\//);
      expect((await fetch(new URL(source, `${sample.url}/docs`))).status).toBe(200);
    }
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(page).not.toMatch(/<script>/);
    expect(await (await fetch(`${sample.url}/docs/swagger-ui-init.js`)).text()).toMatch(
      /"validatorUrl":\s*null/,
    );
  });

  it.each(['/', '/docs/'])('is reached from %s, too', async (path) => {
    const response = await fetch(`${sample.url}${path}`);
    expect({ status: response.status, url: response.url }).toEqual({
      status: 200,
      url: `${sample.url}/docs`,
    });
  });

  it('is written the same each time', async () => {
    const [first, second] = [join(folder, 'a', 'openapi.json'), join(folder, 'b.json')];
    await writeOpenApi(sample.app, first);
    await writeOpenApi(sample.app, second);
    const text = readFileSync(first, 'utf8');
    expect(text).toBe(readFileSync(second, 'utf8'));
    expect(Object.keys(JSON.parse(text))).toEqual([...Object.keys(JSON.parse(text))].sort());
    expect(text.endsWith('}\n')).toBe(true);
  });
});
