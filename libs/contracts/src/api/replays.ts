import { z } from 'zod';
import { archivable, archived } from './log.js';
import { amounts, count, differenceOfAmounts, pageOf, time } from './shapes.js';

/** The request of a replay: equal requests are one work, and an unfinished one is resumed. */
export const replayRequest = z
  .object({
    from: z.string().optional(),
    to: z.string().optional(),
    settings: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'Settings that replace the recorded ones in a shadow replay; each plan takes those that its policy has.',
      ),
    topic: z.string().optional().describe('Topic of a republication.'),
    before: z.string().optional().describe('Replays only archived months that end at this time or before.'),
    folder: z.string().optional().describe('Folder of the archive, below the folder in the settings.'),
  })
  .meta({ id: 'ReplayRequest' });
export type ReplayRequest = z.infer<typeof replayRequest>;

export const replayView = z
  .object({
    replay: z.string(),
    into: z.enum(['projections', 'digest', 'shadow', 'kafka', 'archive']),
    request: replayRequest,
    state: z
      .enum(['running', 'stopped', 'interrupted', 'failed', 'done'])
      .describe('`interrupted`: its process ended before it was done; the same request resumes it.'),
    by: z.string(),
    host: z.string(),
    done: count,
    of: count,
    startedAt: time,
    updatedAt: time,
    endedAt: time.nullable(),
    message: z.string().nullable(),
    result: z.unknown(),
  })
  .meta({ id: 'Replay' });
export type ReplayView = z.infer<typeof replayView>;
export const replayPage = pageOf(replayView, 'ReplayPage');

export const replayStopping = z
  .object({ replay: z.string(), stopping: z.boolean(), was: replayView.shape.state })
  .meta({ id: 'ReplayStopping' });

const difference = z.object({
  enforcement: z.string(),
  queue: z.string(),
  recorded: z.string(),
  replayed: z.string().nullable().describe('null if there is no plan; `because` states why.'),
  because: z.string().optional(),
});

const digestReplay = z
  .object({
    plans: count,
    same: count,
    different: z
      .array(difference)
      .describe('The first thousand; there are `plans` less `same` and `notKept` of them.'),
    notKept: count.describe('Plans whose input is no longer kept: they cannot be compared.'),
  })
  .meta({ id: 'DigestReplay' });
export type DigestReplay = z.infer<typeof digestReplay>;

/** One run with other settings. */
const shadowDifference = z.object({
  enforcement: z.string(),
  queue: z.string(),
  outcome: z.string().describe('The recorded outcome.'),
  shadowOutcome: z
    .string()
    .nullable()
    .describe('Outcome with the other settings; null if there is no plan, and `because` states why.'),
  because: z.string().optional(),
  victims: count,
  shadowVictims: count,
  added: count.describe('Allocations that only the shadow chose.'),
  removed: count.describe('Allocations that only the recorded plan chose.'),
  addedFirst: z.array(z.string()).describe('The first of them.'),
  removedFirst: z.array(z.string()).describe('The first of them.'),
  freedDifference: differenceOfAmounts.describe(
    'Amounts that the victims of the shadow hold, minus those of the recorded plan. Types without a difference are left out.',
  ),
});
export type ShadowDifference = z.infer<typeof shadowDifference>;

const totals = z.object({ victims: count, freed: amounts });

const shadowReplay = z
  .object({
    settings: z.record(z.string(), z.unknown()),
    plans: count,
    same: count,
    differ: count.describe('Runs for which the settings make a difference.'),
    notConcerned: count
      .optional()
      .describe('Runs of a policy that has none of the settings, counted among `same`; absent for none.'),
    different: z.array(shadowDifference).describe('The first thousand of them.'),
    notKept: z
      .object({ count, first: z.array(z.string()) })
      .describe('Plans whose input is no longer kept, with the first of their runs.'),
    recorded: totals.describe(
      'All victims of the plans that could be computed again, and the amounts that they hold, as recorded.',
    ),
    shadow: totals.describe(
      'The victims that the plans choose with the other settings, and the amounts that they hold.',
    ),
    added: count,
    removed: count,
  })
  .meta({ id: 'ShadowReplay' });
export type ShadowReplay = z.infer<typeof shadowReplay>;

/** Unreadable events of the log. The live consumer put them aside as well, so the projections leave them out. */
const unreadable = z.object({ count, first: z.array(z.string()).describe('The first of them, in words.') });
export type Unreadable = z.infer<typeof unreadable>;

const projectionsReplay = z
  .object({
    events: count.describe('Events of the log that were read.'),
    runs: count.describe('Rows of the new table of runs.'),
    victims: count,
    notices: count,
    unreadable: unreadable.describe('Events of a type or shape that this version does not know.'),
  })
  .meta({ id: 'ProjectionsReplay' });
export type ProjectionsReplay = z.infer<typeof projectionsReplay>;

const republication = z
  .object({
    topic: z.string(),
    events: count.describe('Messages that were sent, or with `dryRun` would be.'),
  })
  .meta({ id: 'Republication' });
export type Republication = z.infer<typeof republication>;

const progressLine = z
  .object({
    replay: z.string().optional(),
    resumed: z.boolean().optional(),
    unit: z.string().optional(),
    done: count,
    of: count,
  })
  .meta({ id: 'ProgressLine' });
const errorLine = z
  .object({ error: z.object({ message: z.string(), path: z.string().optional() }).meta({ id: 'LineError' }) })
  .meta({ id: 'ErrorLine' });

/**
 * The answer of a task that takes long, by what its caller accepts: `done`, one document at the end, whose failures are problems; or
 * `line`, of which it streams one after the other, progress on the way and the result or an error at the end.
 *
 * @param name of the component for `done`; those for lines begin with it.
 * @param more fields of `done`.
 */
export function taskAnswer(result: z.ZodType, name: string, more: z.ZodRawShape = {}) {
  return {
    done: z.object({ ...more, result }).meta({ id: `${name}Done` }),
    line: z.union([progressLine, z.object({ result }).meta({ id: `${name}ResultLine` }), errorLine]).meta({
      id: `${name}Line`,
      description: 'One line of JSON: progress on the way, then the result or an error.',
    }),
  };
}

const archivablePartitions = z
  .object({ partitions: z.array(archivable) })
  .meta({ id: 'ArchivablePartitions', description: 'With `dryRun`: the partitions that would be archived.' });

const replayId = {
  replay: z
    .string()
    .optional()
    .describe('The id that GET /v1/replays lists it by; absent with `dryRun`, which keeps none.'),
};

export const archiveAnswer = taskAnswer(z.union([archived, archivablePartitions]), 'Archive', replayId);
export const replayAnswer = taskAnswer(
  z.union([projectionsReplay, digestReplay, shadowReplay]),
  'Replay',
  replayId,
);
export const republicationAnswer = taskAnswer(republication, 'Republication', replayId);
