import { describe, expect, it } from '@jest/globals';
import { readSettings } from '#platform';
import { apps, hasSource, knownNames, settingsOf } from './apps.js';
import { type ComposeService, readComposeFile } from './compose-file.js';

const given = { CURTAIL_DATABASE_PASSWORD: 'of-the-database', CURTAIL_TOKEN: 'a-token-of-the-test' };
const servers = ['kafka', 'redis', 'postgres'];
const file = readComposeFile(given);

function service(name: string): ComposeService {
  const found = file.services[name];
  if (!found) throw new Error(`docker-compose.yml has no ${name}`);
  return found;
}

describe('docker-compose.yml', () => {
  it('runs the three servers and every service, and beside them the agents of YARN and YTsaurus only if they are asked for', () => {
    expect(Object.keys(file.services).sort()).toEqual(
      [...apps, ...servers, 'yarn-agent', 'ytsaurus-agent'].sort(),
    );
  });

  it.each(['yarn', 'ytsaurus'])('runs the agent of %s with its profile', (kind) => {
    const agent = service(`${kind}-agent`);
    expect(agent).toMatchObject({
      profiles: [kind],
      command: ['dist/apps/agent/src/main.js'],
      read_only: true,
      cap_drop: ['ALL'],
      depends_on: { kafka: { condition: 'service_healthy' } },
    });
    const { environment = {} } = agent;
    expect(Object.keys(environment).filter((variable) => !knownNames.has(variable))).toEqual([]);
    expect(readSettings(settingsOf('agent'), environment)).toMatchObject({
      ...{ kind, mode: 'observe', port: 8080, kafkaBrokers: ['kafka:19092'] },
    });
    expect(environment).not.toHaveProperty('DATABASE_URL');
  });

  it.each([...apps, ...servers])('asks %s whether it is well, and gives it time to end', (name) => {
    const { healthcheck, stop_grace_period } = service(name);
    expect(healthcheck?.test[0]).toMatch(/^CMD/);
    expect(stop_grace_period).toMatch(/^\d+s$/);
  });

  it.each(Object.keys(given))('states the remedy where %s is missing', (name) => {
    expect(() => readComposeFile({ ...given, [name]: '' })).toThrow(`needs ${name}: set it in`);
  });

  describe.each(apps)('%s', (name) => {
    it('runs a program of this checkout, from the one image', () => {
      const { image, build, command } = service(name);
      expect({ image, build }).toEqual({ image: expect.stringMatching(/^curtail:/), build: '.' });
      expect(command).toEqual([`dist/apps/${name}/src/main.js`]);
      expect(hasSource(command?.[0] ?? '')).toBe(true);
    });

    it('has settings that exist, with values that are accepted, for all three servers', () => {
      const { environment = {} } = service(name);
      expect(Object.keys(environment).filter((variable) => !knownNames.has(variable))).toEqual([]);
      const settings = readSettings(settingsOf(name), environment);
      expect(settings).toMatchObject({ host: '0.0.0.0', port: 8080, token: given.CURTAIL_TOKEN });
      expect(environment.KAFKA_BROKERS).toBe('kafka:19092');
      expect(environment.REDIS_URL).toBe('redis://redis:6379');
      expect(environment.DATABASE_URL).toContain(`:${given.CURTAIL_DATABASE_PASSWORD}@postgres:5432/`);
    });

    it('starts when the servers are well, and is killed only after its own deadline', () => {
      const { depends_on, stop_grace_period = '', environment = {} } = service(name);
      expect(depends_on).toEqual(
        Object.fromEntries(servers.map((server) => [server, { condition: 'service_healthy' }])),
      );
      const { shutdownSeconds } = readSettings(settingsOf(name), environment);
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(Number(shutdownSeconds));
    });

    it('writes nothing but /tmp, and has no rights', () => {
      expect(service(name)).toMatchObject({
        init: true,
        read_only: true,
        tmpfs: ['/tmp'],
        cap_drop: ['ALL'],
      });
      expect(service(name).volumes).toBeUndefined();
    });
  });

  it('leads from the console to the config ingest', () => {
    const { CURTAIL_CONFIG_INGEST, CURTAIL_PORT } = service('console').environment ?? {};
    expect(CURTAIL_CONFIG_INGEST).toBe(`http://config-ingest:${CURTAIL_PORT}`);
  });

  it('lets any number of planners run: no name, no port of this machine', () => {
    expect(service('planner').container_name).toBeUndefined();
    expect(service('planner').ports).toBeUndefined();
  });

  it('can be reached from this machine only', () => {
    const published = Object.values(file.services).flatMap(({ ports = [] }) => ports);
    expect(published.length).toBeGreaterThan(0);
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('keeps the data of the servers in volumes, where their images have them', () => {
    const volumes = servers.flatMap((name) => service(name).volumes ?? []);
    expect(volumes).toEqual([
      'kafka-data:/var/lib/kafka/data',
      'redis-data:/data',
      'postgres-data:/var/lib/postgresql',
    ]);
    expect(Object.keys(file.volumes)).toEqual(volumes.map((volume) => volume.split(':')[0]));
    expect(service('kafka').environment?.KAFKA_LOG_DIRS).toBe('/var/lib/kafka/data');
    expect(service('postgres').image).toBe('postgres:18');
  });

  it('has a Redis that loses no job and checks delayed ones often', () => {
    const words = service('redis').command?.join(' ');
    for (const option of ['--appendonly yes', '--hz 100', '--maxmemory-policy noeviction']) {
      expect(words).toContain(option);
    }
  });
});
