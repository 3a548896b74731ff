import { InputError, isObject } from '#contracts';
import { fieldsOf } from '../yunikorn/fields.js';
import {
  appOf,
  readApps,
  readContainers,
  readNodes,
  readScheduler,
  type YarnApp,
  type YarnContainer,
} from './answers.js';
import { schedulerProperties } from './configuration.js';
import type { Look } from './look.js';

/** An answer of a ResourceManager, as it was saved. */
export interface SavedAnswer {
  /** The file, for messages. */
  name: string;
  /** Parsed. */
  value: unknown;
}

/** What a manager showed of its cluster: of a look, what offline plans need. */
export interface SavedCluster extends Pick<Look, 'nodes' | 'queues' | 'isSizeSettled'> {
  apps: readonly { app: YarnApp; containers: YarnContainer[] }[];
  /** Of `scheduler-conf`; undefined: there is no such answer. */
  properties: ReadonlyMap<string, string> | undefined;
  /** RFC 3339: the latest time that an answer tells. */
  takenAt: string;
}

/** Answers that no plan needs, by their key. */
const unused = new Set([
  'clusterInfo',
  'app',
  'appAttempts',
  'appAttempt',
  'clusterMetrics',
  'appStatInfo',
  'versionID',
]);
const needed = [
  ['scheduler', '/ws/v1/cluster/scheduler'],
  ['nodes', '/ws/v1/cluster/nodes'],
  ['apps', '/ws/v1/cluster/apps?states=SUBMITTED,ACCEPTED,RUNNING'],
] as const;

/**
 * Reads saved answers of one manager, told apart by what is in them: `scheduler`, `nodes`, `apps`, for each running application that of its
 * `containers`, and `scheduler-conf`. A file may hold several answers, in one object or in a list.
 *
 * @returns with the names of those that are no answers a plan could use, and why.
 * @throws InputError with the name of the answer and the path within it; without one if answers are missing.
 */
export function readSavedAnswers(answers: readonly SavedAnswer[]): {
  cluster: SavedCluster;
  skipped: { name: string; why: string }[];
} {
  const skipped: { name: string; why: string }[] = [];
  const found = new Map<string, { name: string; value: unknown }>();
  const containers = new Map<string, YarnContainer[]>();
  const moment = new LatestMoment();
  const keep = (key: string, name: string, value: unknown) => {
    const other = found.get(key);
    if (other !== undefined) {
      const message = `${other.name} and ${name} both have ${key}; give one of them`;
      throw new InputError('', message);
    }
    found.set(key, { name, value });
  };
  const take = ({ name, value }: SavedAnswer): void => {
    if (Array.isArray(value)) {
      for (const one of value) take({ name, value: one });
      return;
    }
    const fields = within(name, () => fieldsOf(value, ''));
    const refusal = fields.RemoteException;
    if (isObject(refusal)) {
      const { message } = refusal as { message?: unknown };
      skipped.push({ name, why: `the manager refused: ${String(message ?? 'it gave no reason')}` });
      return;
    }
    const unknown = Object.keys(fields).filter((key) => !known.has(key) && !unused.has(key));
    if (unknown.length > 0 && unknown.length === Object.keys(fields).length) {
      skipped.push({ name, why: 'it is no answer of a ResourceManager' });
      return;
    }
    for (const key of ['scheduler', 'nodes', 'apps', 'property'] as const) {
      if (fields[key] !== undefined) keep(key, name, { [key]: fields[key] });
    }
    if (fields.container === undefined) return;
    for (const one of within(name, () => readContainers(fields))) {
      const app = appOf(one.id)?.app;
      if (app === undefined) throw new InputError(`${name}: container`, `${one.id} is no id of a container`);
      const list = containers.get(app) ?? [];
      if (!list.some(({ id }) => id === one.id)) containers.set(app, [...list, one]);
    }
  };
  for (const answer of answers) {
    take(answer);
    moment.see(answer.value);
  }
  const missing = needed.filter(([key]) => !found.has(key));
  if (missing.length > 0) {
    const what = missing.map(([, path]) => path).join(', ');
    const why = skipped.map(({ name, why: reason }) => `; ${name}: ${reason}`).join('');
    throw new InputError('', `of the answers of a ResourceManager, these are missing: ${what}${why}`);
  }
  const read = <T>(key: string, reader: (answer: unknown) => T): T => {
    const { name, value } = found.get(key)!;
    return within(name, () => reader(value));
  };
  const nodes = read('nodes', readNodes);
  const queues = read('scheduler', readScheduler);
  const apps = read('apps', readApps)
    .filter(({ state }) => !over.has(state))
    .map((app) => ({ app, containers: containers.get(app.id) ?? [] }));
  return {
    cluster: {
      nodes,
      queues,
      isSizeSettled: true,
      apps,
      properties: found.has('property') ? read('property', schedulerProperties) : undefined,
      takenAt: moment.text,
    },
    skipped,
  };
}

const known: ReadonlySet<string> = new Set([
  'scheduler',
  'nodes',
  'apps',
  'property',
  'container',
  'RemoteException',
]);
/** An answer on `/apps` without `states` also has applications that have ended. */
const over: ReadonlySet<string> = new Set(['FINISHED', 'FAILED', 'KILLED']);

function within<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(error.path === '' ? name : `${name}: ${error.path}`, error.message);
  }
}

/** The latest time in answers: what they show is at least that new. */
class LatestMoment {
  private ms = 0;

  see(value: unknown): void {
    if (Array.isArray(value)) for (const one of value) this.see(one);
    else if (isObject(value)) {
      const fields = value as Record<string, unknown>;
      const started = Number(fields.startedTime);
      const elapsed = Number(fields.elapsedTime);
      // Of what runs, how long it has run until the answer.
      if (started > 0 && elapsed > 0) this.note(started + elapsed);
      else if (started > 0) this.note(started);
      for (const key of ['lastHealthUpdate', 'startedOn']) this.note(Number(fields[key]));
      for (const one of Object.values(fields)) if (typeof one === 'object') this.see(one);
    }
  }

  get text(): string {
    return new Date(this.ms).toISOString();
  }

  private note(ms: number): void {
    if (Number.isSafeInteger(ms) && ms > this.ms && ms < 8.64e15) this.ms = ms;
  }
}
