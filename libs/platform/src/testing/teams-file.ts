import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Team } from '../http/teams.js';

/** The path of a file of teams. Its name follows its content, so that further runs of the tests find it instead of adding another. */
export function fileOfTeams(teams: readonly Team[]): string {
  const text = JSON.stringify({ teams });
  const folder = join(tmpdir(), `curtail-test-teams-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.json`);
  // In one step, since suites of several workers write the same file.
  const own = `${path}.${process.pid}`;
  writeFileSync(own, text);
  renameSync(own, path);
  return path;
}
