import { relative } from 'node:path';
import type { Three } from '../infra/command/three.js';
import type { Service } from './service.js';

/** The default server of the command line. */
const usualServer = 'http://127.0.0.1:8080';

/** Shown when everything is ready: what runs where, and what to try. */
export function banner(
  services: readonly Service[],
  { kafka, redis, postgres }: Three,
  { data, seeded }: { data: string; seeded: boolean },
): string {
  const url = services.find(({ place }) => place.app === 'console')?.url ?? '';
  const folder = relative(process.cwd(), data) || '.';
  const rows = [
    ...services.map(({ place, pid, url }) => [place.name, pid, url.replace('http://', '')]),
    ...[kafka, redis, postgres].map((server) => [
      server.name,
      server.pid,
      `127.0.0.1:${Object.values(server.ports)[0]}`,
    ]),
  ].map((row) => row.map((cell) => String(cell ?? '-')));
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const table = rows.map(
    ([name = '', pid = '', at]) => `  ${name.padEnd(width(0))}  ${pid.padStart(width(1))}  ${at}`,
  );
  const lines = [
    '',
    `Curtail is running at ${url}, its data are in ${folder}`,
    ...(seeded ? ['A sample cluster is loaded, with the quotas of examples/queues.yaml.'] : []),
    '',
    ...table,
    '',
    'Try, in another terminal:',
    ...(url === usualServer ? [] : [`  export CURTAIL_SERVER=${url}`]),
    '  npx curtail get queues                             what is used, and the quotas',
    '  npx curtail apply -f examples/queues-lowered.yaml  lower one',
    '  npx curtail get timers --watch                     the delay runs',
    '  npx curtail get enforcements                       its outcome',
    '',
    'Ctrl-C stops all of it; unfinished work resumes at the next start.',
    '',
  ];
  return `${lines.join('\n')}\n`;
}
