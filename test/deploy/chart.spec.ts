import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { aboutSetting, readSettings, variablesOf } from '#platform';
import { allSettings, apps, knownNames, settingsOf } from './apps.js';

interface Service {
  replicas?: number;
  settings?: Values['settings'];
  heapMegabytes: number;
  resources: { limits: { memory: string } };
}

interface Values {
  settings: Record<string, string | number | boolean>;
  services: Record<string, Service>;
  singleProcess: Service;
  agent: { enabled: boolean; mode: string; settings?: Values['settings'] };
  autoscaling: { minReplicas: number; maxReplicas: number };
}

const chart = 'deploy/helm/curtail';
const read = (path: string) => readFileSync(`${chart}/${path}`, 'utf8');
const yaml = <T>(path: string) => parse(read(path), { merge: true }) as T;
const values = yaml<Values>('values.yaml');
const examples = ['minimal', 'full', 'single-process', 'ytsaurus'].map((name) => `ci/${name}-values.yaml`);
const fits = new Ajv({ allowUnionTypes: true }).compile(JSON.parse(read('values.schema.json')) as object);
const faults = (value: unknown) => (fits(value) ? [] : fits.errors);

describe('the Helm chart', () => {
  it('is of the version of the project', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(yaml('Chart.yaml')).toMatchObject({ version, appVersion: version });
  });

  it('runs every service', () => {
    expect(Object.keys(values.services).sort()).toEqual([...apps].sort());
    expect(read('templates/deployments.yaml')).toContain('args: [dist/apps/{{ $name }}/src/main.js]');
  });

  it.each(['values.yaml', ...examples])(
    'has in %s what its schema allows, and settings that exist',
    (path) => {
      const found = yaml<Partial<Values>>(path);
      expect(faults({ ...values, ...found, services: values.services })).toEqual([]);
      const processes = [...Object.values(found.services ?? {}), found.singleProcess];
      const own = [found.settings, ...processes.map((service) => service?.settings)];
      const environment = Object.fromEntries(
        own
          .flatMap((settings) => Object.entries(settings ?? {}))
          .map(([name, value]) => [name, String(value)]),
      );
      expect(Object.keys(environment).filter((name) => !knownNames.has(name))).toEqual([]);
      const files = Object.entries(environment).filter(([, value]) => value.startsWith('/etc/curtail/'));
      for (const [name] of files) delete environment[name];
      for (const app of apps) expect(() => readSettings(settingsOf(app), environment)).not.toThrow();
    },
  );

  it.each([...Object.entries(values.services), ['the single process', values.singleProcess] as const])(
    'leaves %s a third of its memory beside the heap, and limits runs to what fits',
    (_, service) => {
      const { heapMegabytes, resources } = service;
      expect(resources.limits.memory).toMatch(/^\d+Mi$/);
      expect(heapMegabytes).toBeLessThanOrEqual((Number.parseInt(resources.limits.memory, 10) * 2) / 3);
      expect(read('templates/deployments.yaml')).toContain(
        '"--max-old-space-size=%d" (int64 $service.heapMegabytes)',
      );
      // 512 MB of heap for every 200,000 allocations and 20,000 victims, as in docs/how-to/large-runs.md.
      expect(values.settings).toMatchObject({ CURTAIL_MOST_ALLOCATIONS: 200_000 });
    },
  );

  it('evicts no one by default', () => {
    expect(values.settings).toMatchObject({ CURTAIL_DEFAULT_MODE: 'observe' });
    // It would be a limit that `curtail mode enforce` cannot lift.
    expect(values.settings).not.toHaveProperty('CURTAIL_MODE');
    expect(values.agent).toMatchObject({ enabled: false, mode: '' });
  });

  it('gives the agent settings that exist, and no secret but those that it needs', () => {
    const text = read('templates/deployments.yaml');
    const named = [...text.matchAll(/"((?:CURTAIL|KAFKA)_[A-Z_]+)"/g)].map(([, name]) => name as string);
    const known = variablesOf(settingsOf('agent')).map(aboutSetting);
    const own = named.filter((name) => name !== 'CURTAIL_CONFIG_INGEST');
    expect(own.filter((name) => !known.some(({ variable }) => variable === name))).toEqual([]);
    const secrets = known.filter(({ secret, variable }) => secret === true && named.includes(variable));
    expect(secrets).toEqual([]);
    // By the name of a key each; its token is another than that of administrators.
    const ofSecret = [
      ...text.matchAll(
        /name: (\w+), valueFrom: \{ secretKeyRef: \{ name: .*?, key: (.*?)(?:, optional: true)? \} \} \}$/gm,
      ),
    ];
    expect(ofSecret.map(([, variable, key]) => `${variable} ${key}`)).toEqual([
      'CURTAIL_KAFKA_PASSWORD CURTAIL_KAFKA_PASSWORD',
      'CURTAIL_TOKEN {{ $.Values.agent.tokenKey }}',
    ]);
    expect(values.agent).toMatchObject({ tokenKey: 'CURTAIL_AGENT_TOKEN' });
  });

  it.each([...new Set(allSettings.filter(({ secret }) => secret === true).map(({ variable }) => variable))])(
    'refuses %s outside of a Secret',
    (variable) => {
      expect(faults({ ...values, settings: { [variable]: 'x' } })).not.toEqual([]);
    },
  );

  it.each([
    [
      'a service that there is none of',
      { services: { ...values.services, planer: { replicas: 1, resources: {} } } },
    ],
    ['a misspelt value', { imag: {} }],
    ['a setting that is no variable', { settings: { mode: 'enforce' } }],
    ['an address to listen on, which the chart says itself', { settings: { CURTAIL_PORT: 80 } }],
  ])('refuses %s', (_, wrong) => {
    expect(faults({ ...values, ...wrong })).not.toEqual([]);
  });

  it('names no setting that does not exist', () => {
    const texts = [
      'templates/configmap.yaml',
      'templates/deployments.yaml',
      'templates/scaledobject.yaml',
    ].map(read);
    const named = texts.join('\n').match(/\b(CURTAIL|KAFKA|REDIS|DATABASE)_[A-Z_]+\b/g) ?? [];
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !knownNames.has(name))).toEqual([]);
  });
});
