/**
 * A ResourceManager in a process of its own that replays answers of a real one (`test/clusters/yarn-answers`), multiplied to the wanted size. Sends its
 * port when it listens. Containers end when they are signalled.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { root } from '../processes.js';

const [apps = 0, containersOfApp = 0] = process.argv.slice(2).map(Number);

// biome-ignore lint/suspicious/noExplicitAny: answers of YARN
const recorded = (name: string): any =>
  JSON.parse(readFileSync(join(root, 'test/clusters/yarn-answers', `${name}.json`), 'utf8'));

const begun = recorded('info').clusterInfo.startedOn;
const idOf = (app: number) => `${begun}_${String(app + 1).padStart(4, '0')}`;
const [appShape] = recorded('apps').apps.app.filter(({ state }: { state: string }) => state === 'RUNNING');
const [containerShape] = recorded('containers-alice').container;

const repeated = (_all: string, entries: string) => `"entry":${entries.replaceAll('},{', '},"entry":{')}`;
/** As a ResourceManager writes it: a map repeats the key `entry`. */
const written = (body: object): string => JSON.stringify(body).replaceAll(/"entry":\[([^\]]*)\]/g, repeated);

/** Containers as they are written, by id and application. */
const running = new Map<string, Map<string, string>>();
for (let app = 0; app < apps; app++) {
  const ids = Array.from(
    { length: containersOfApp },
    (_, index) => `container_${idOf(app)}_01_${String(index + 1).padStart(6, '0')}`,
  );
  const containers = ids.map((id) => [id, written({ ...containerShape, containerId: id })] as const);
  running.set(`application_${idOf(app)}`, new Map(containers));
}
const appOf = (id: string, count: number) => ({
  ...appShape,
  id,
  amContainerLogs: `http://localhost:26730/node/containerlogs/container_${id.slice(12)}_01_000001/alice`,
  ...{ runningContainers: count, allocatedMB: 1024 * count, allocatedVCores: count, resourceRequests: [] },
});
const texts = new Map<string, string>(
  Object.entries({
    '/info': recorded('info'),
    '/nodes': recorded('nodes'),
    '/scheduler': recorded('scheduler'),
    '/scheduler-conf': recorded('scheduler-conf'),
    '/scheduler-conf/version': { versionID: 1 },
  }).map(([path, body]) => [path, JSON.stringify(body)]),
);
/** Each text is written once, so that the agent is measured, and not this manager. */
const once = (path: string, write: () => string): string => {
  const text = texts.get(path) ?? write();
  texts.set(path, text);
  return text;
};

const containersOf = (app: string): string =>
  `/apps/${app}/appattempts/${app.replace('application', 'appattempt')}_000001/containers`;

function answer(path: string): string | undefined {
  const [, signalled] = /^\/containers\/(\w+)\/signal\//.exec(path) ?? [];
  if (signalled !== undefined) {
    const app = signalled.replace(/^container_(\d+_\d+)_.*$/, 'application_$1');
    running.get(app)?.delete(signalled);
    texts.delete('/apps');
    texts.delete(containersOf(app));
    return '';
  }
  const [, app = ''] = /^\/apps\/(\w+)\/appattempts\/\w+\/containers$/.exec(path) ?? [];
  const containers = running.get(app);
  if (containers !== undefined) return once(path, () => `{"container":[${[...containers.values()].join()}]}`);
  if (path === '/apps') {
    return once(path, () =>
      written({ apps: { app: [...running].map(([id, { size }]) => appOf(id, size)) } }),
    );
  }
  return texts.get(path);
}

const server = createServer((request, response) => {
  const text = answer((request.url ?? '').replace('/ws/v1/cluster', '').replace(/\?.*/, ''));
  const type = { 'content-type': 'application/json' };
  if (text === undefined) response.writeHead(404, type).end('{}');
  else response.writeHead(200, type).end(text);
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
