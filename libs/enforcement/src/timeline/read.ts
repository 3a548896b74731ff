import {
  InputError,
  type QuotaValues,
  type ReadDecreaseSettings,
  type Resources,
  readDecreaseSettings,
} from '#contracts';
import { toMs } from '../instants.js';
import {
  found,
  readFields,
  readFlag,
  readOffset,
  readQuotaValues,
  readTimelineResources,
  type TimelineFields,
} from './fields.js';

const eventNames = ['restart', 'enforcement-finished', 'allocation-forced', 'allocation-resized'] as const;
export type TimelineEvent = (typeof eventNames)[number];

export interface TimelineStep {
  at: string;
  usage?: Resources;
  running?: boolean;
  /** In force from here on. */
  settings?: ReadDecreaseSettings;
  config?: QuotaValues;
  event?: TimelineEvent;
  /** The moment of the check, if the step is one. */
  checkAt?: string;
}

export interface Timeline {
  queue: string;
  settings: ReadDecreaseSettings;
  initial: { values: QuotaValues; dueAt?: string; usage: Resources; dynamic: boolean };
  steps: TimelineStep[];
}

const maxSteps = 100_000;

/**
 * Checks a timeline, docs/reference/snapshot.md. Fields that are not named there are ignored, settings that are not
 * known are errors. Throws InputError with the path of the field, `steps[i].<field>` in a step.
 */
export function readTimeline(input: unknown): Timeline {
  const fields = readFields(input, 'timeline');
  if (typeof fields.queue !== 'string' || fields.queue === '') {
    throw new InputError('queue', `queue is ${found(fields.queue)}; it must be the path of a queue`);
  }
  const steps = fields.steps;
  if (!Array.isArray(steps)) {
    throw new InputError('steps', `steps is ${found(steps)}; it must be a list of steps`);
  }
  if (steps.length > maxSteps) {
    throw new InputError('steps', `steps has ${steps.length} entries; at most ${maxSteps} are read`);
  }
  const settings = readDecreaseSettings(fields.settings);
  return {
    queue: fields.queue,
    settings,
    initial: readInitial(fields.initial),
    steps: readSteps(steps, fields.settings),
  };
}

function readInitial(input: unknown): Timeline['initial'] {
  const fields = readFields(input ?? {}, 'initial');
  const dueAt = fields.dueAt ?? null;
  return {
    values: readQuotaValues(fields, 'initial'),
    ...(dueAt !== null && { dueAt: readOffset(dueAt, 'initial.dueAt') }),
    usage: readTimelineResources(fields.usage ?? {}, 'initial.usage'),
    dynamic: readFlag(fields.dynamic, 'initial.dynamic') ?? false,
  };
}

function readSteps(steps: unknown[], settings: unknown): TimelineStep[] {
  let inForce = settings;
  let before: string | undefined;
  return steps.map((input, i) => {
    const path = `steps[${i}]`;
    const fields = readFields(input, path);
    const at = readOffset(fields.at, `${path}.at`);
    if (before !== undefined && toMs(at) < toMs(before)) {
      throw new InputError(
        `${path}.at`,
        `${path}.at is ${found(fields.at)}, before the step ahead of it; time never goes back`,
      );
    }
    before = at;
    const step: TimelineStep = { at };
    if (readFlag(fields.check, `${path}.check`)) step.checkAt = readOffset(fields.at, `${path}.at`, 'down');
    const running = readFlag(fields.running, `${path}.running`);
    if (running !== undefined) step.running = running;
    if (isGiven(fields, 'usage')) step.usage = readTimelineResources(fields.usage, `${path}.usage`);
    if (isGiven(fields, 'settings')) {
      inForce = { ...(inForce as TimelineFields | null), ...readFields(fields.settings, `${path}.settings`) };
      step.settings = settingsOfStep(inForce, path);
    }
    if (isGiven(fields, 'config')) {
      step.config = readQuotaValues(readFields(fields.config, `${path}.config`), `${path}.config`);
    }
    if (isGiven(fields, 'event')) step.event = readEvent(fields.event, `${path}.event`);
    return step;
  });
}

function isGiven(fields: TimelineFields, name: string): boolean {
  return fields[name] !== undefined && fields[name] !== null;
}

function settingsOfStep(settings: unknown, path: string): ReadDecreaseSettings {
  try {
    return readDecreaseSettings(settings);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(`${path}.${error.path}`, error.message);
  }
}

function readEvent(input: unknown, path: string): TimelineEvent {
  const known = eventNames.find((name) => name === input);
  if (known) return known;
  throw new InputError(path, `it is ${found(input)}; it must be one of ${eventNames.join(', ')}`);
}
