import { existsSync, readdirSync } from 'node:fs';
import { type AboutSetting, aboutSetting, type SettingsSchema, variablesOf } from '#platform';
import { curtailSettings, settingsFile } from '#runtime';
import { agentProgram } from '../../apps/agent/src/agent-program.js';
import { configIngestProgram } from '../../apps/config-ingest/src/config-ingest.app.js';
import { consoleProgram } from '../../apps/console/src/console.app.js';
import { executorProgram } from '../../apps/executor/src/executor.app.js';
import { plannerProgram } from '../../apps/planner/src/planner.app.js';
import { timerProgram } from '../../apps/timer/src/timer.app.js';

/**
 * The services that run alone. `curtail` is the command line and the one process for all of them; the agent runs beside a cluster,
 * which may be elsewhere.
 */
export const apps = readdirSync('apps').filter((app) => app !== 'curtail' && app !== 'agent');

const programs: Record<string, { settings: SettingsSchema }> = {
  'config-ingest': configIngestProgram,
  timer: timerProgram,
  planner: plannerProgram,
  executor: executorProgram,
  console: consoleProgram,
  agent: agentProgram,
};

/** Every setting that a service may be given. It ignores those that do not concern it. */
export function settingsOf(app: string): SettingsSchema {
  const program = programs[app];
  if (!program) throw new Error(`test/deploy does not know the service ${app}`);
  return { ...settingsFile, ...curtailSettings, ...program.settings };
}

/** Those of all services, and of the agent. */
export const allSettings: readonly AboutSetting[] = [...apps, 'agent'].flatMap((app) =>
  variablesOf(settingsOf(app)).map(aboutSetting),
);
export const knownNames: ReadonlySet<string> = new Set(allSettings.map(({ variable }) => variable));

/** The source of a program in dist: `dist/apps/timer/src/main.js` is made from `apps/timer/src/main.ts`. */
export function hasSource(program: string): boolean {
  return existsSync(program.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
}
