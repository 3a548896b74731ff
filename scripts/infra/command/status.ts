import { memoryOf } from '../server/children.js';
import type { Server } from '../server/server.js';
import { environmentOf, type Three } from './three.js';

/** A table of the three; `up`: all of them run and answer. */
export async function statusOf(three: Three): Promise<{ text: string; up: boolean }> {
  const servers: [Server, number][] = [
    [three.kafka, three.kafka.port],
    [three.redis, three.redis.port],
    [three.postgres, three.postgres.port],
  ];
  const rows = await Promise.all(servers.map(([server, port]) => rowOf(server, port)));
  const table = [['server', 'state', 'port', 'pid', 'memory'], ...rows];
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const text = table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
  return { text, up: rows.every((row) => row[1] === 'ready') };
}

async function rowOf(server: Server, port: number): Promise<string[]> {
  if (!(await server.find())) return [server.name, 'down', '-', '-', '-'];
  const pid = server.pid as number;
  const bytes = await memoryOf(pid);
  const memory = bytes === undefined ? '-' : `${Math.round(bytes / 1e6)} MB`;
  const state = (await server.answers()) ? 'ready' : 'not answering';
  return [server.name, state, String(port), String(pid), memory];
}

/** Lines that a shell can read: `export $(npm run -s infra -- status --env)`. */
export function environmentText(three: Three): string {
  return Object.entries(environmentOf(three))
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
}
