import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Team } from '../http/teams.js';

/** The path of a file of teams, until the tests of this process have ended. */
export function fileOfTeams(teams: readonly Team[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-teams-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'teams.json');
  writeFileSync(path, JSON.stringify({ teams }));
  return path;
}
