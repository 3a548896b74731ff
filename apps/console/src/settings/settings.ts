import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { unknownQueue } from '#clusters';
import { mayHaveSetting, sentenceOf } from '#contracts';
import type { SettingChanges, SettingOverrideView, SettingsView } from '#contracts/api';
import { streamVersion, type Tx } from '#event-store';
import { ProblemException, tagOf } from '#platform';
import { OPERATOR_DATABASE, READER_DATABASE } from '#runtime';
import { recordCommand } from '../commands/record-command.js';
import { SettingOverride } from '../entities/index.js';
import {
  effectiveSettings,
  INSTALLATION_SETTINGS,
  type InstallationSettings,
  latestChanges,
  readChain,
  shownOverrides,
} from './effective-settings.js';

/** The overrides of a partition are read with each of its plans. */
const mostOverrides = 1000;
const namedChanges = 5;

/** The settings of a queue that are to change. */
export interface SettingsRequest {
  partition: string;
  queue: string;
  settings: SettingChanges;
  by: string;
  reason?: string | undefined;
  /** The version that the sender has read; undefined: any. */
  ifVersion?: number | undefined;
}

interface Change {
  setting: string;
  from: unknown;
  to: unknown;
}

const streamOf = (partition: string) => `settings-${partition}`;

/**
 * The settings of queues, and the overrides of operators: each takes the place of the setting of the same queue in the configuration,
 * until it is cleared. Planner and executor read them whenever they use them. docs/reference/configuration.md, "Settings at runtime"
 */
@Injectable()
export class Settings {
  constructor(
    @Inject(READER_DATABASE) private readonly reader: DataSource,
    @Inject(OPERATOR_DATABASE) private readonly operators: DataSource,
    @Inject(INSTALLATION_SETTINGS) private readonly installation: InstallationSettings,
  ) {}

  /** @throws ProblemException 404 for a queue that the configuration in force does not have. */
  async of(partition: string, queue: string, db: DataSource | Tx = this.reader): Promise<SettingsView> {
    const chain = await readChain(db, partition, queue);
    if (chain.at(-1)?.path !== queue) throw await unknownQueue(db, partition, queue);
    return {
      partition,
      queue,
      version: await streamVersion(db, streamOf(partition)),
      settings: effectiveSettings(chain, this.installation),
      overrides: await overridesOf(db, partition),
    };
  }

  /**
   * Sets and clears overrides of a queue, as one event. A request that changes nothing records nothing.
   *
   * @throws ProblemException 404, 409 above the limit, or 412 with what changed meanwhile.
   */
  async change(request: SettingsRequest): Promise<SettingsView> {
    const { partition, queue, by, reason } = request;
    assertMayHave(queue, request.settings);
    await recordCommand(
      this.operators,
      { partition, stream: streamOf(partition), key: queue },
      async (tx) => {
        await assertVersion(tx, partition, request.ifVersion);
        const changes = await changesOf(tx, request);
        if (changes.some(({ to }) => to !== null)) await assertConfigured(tx, partition, queue);
        for (const change of changes) await write(tx, request, change);
        await assertNotTooMany(tx, partition);
        const data = { partition, queue, changes, by, ...(reason !== undefined && { reason }) };
        return {
          event: changes.length > 0 ? { name: 'SettingsChanged', data } : undefined,
          answer: undefined,
        };
      },
    );
    return this.after(partition, queue);
  }

  /** For a queue that the configuration no longer has, whose overrides were cleared: the settings of the partition. */
  private async after(partition: string, queue: string): Promise<SettingsView> {
    const configured = await isConfigured(this.operators, partition, queue);
    return this.of(partition, configured ? queue : 'root', this.operators);
  }
}

/** Those of the request that differ from the overrides there are. */
async function changesOf(tx: Tx, { partition, queue, settings }: SettingsRequest): Promise<Change[]> {
  const rows = await tx.getRepository(SettingOverride).findBy({ partition, queue });
  const known = new Map(rows.map(({ setting, value }) => [setting, value]));
  return Object.entries(settings).flatMap(([setting, to]) => {
    const from = known.get(setting) ?? null;
    return to === undefined || isDeepStrictEqual(from, to) ? [] : [{ setting, from, to }];
  });
}

async function write(
  tx: Tx,
  { partition, queue, by, reason }: SettingsRequest,
  { setting, to }: Change,
): Promise<void> {
  const which = { partition, queue, setting };
  if (to === null) {
    await tx.getRepository(SettingOverride).delete(which);
    return;
  }
  const override = { ...which, value: to as object, setBy: by, reason: reason ?? null, setAt: () => 'now()' };
  await tx.getRepository(SettingOverride).upsert(override, ['partition', 'queue', 'setting']);
}

async function isConfigured(db: DataSource | Tx, partition: string, queue: string): Promise<boolean> {
  return (await readChain(db, partition, queue)).at(-1)?.path === queue;
}

async function assertConfigured(tx: Tx, partition: string, queue: string): Promise<void> {
  if (!(await isConfigured(tx, partition, queue))) throw await unknownQueue(tx, partition, queue);
}

async function assertNotTooMany(tx: Tx, partition: string): Promise<void> {
  const count = await tx.getRepository(SettingOverride).countBy({ partition });
  if (count <= mostOverrides) return;
  throw new ProblemException({
    code: 'too-many-overrides',
    title: 'There are too many overrides',
    status: 409,
    detail: `Partition ${partition} would have ${count} overrides of settings; it can have ${mostOverrides}. Nothing was changed.`,
    remedy: 'Put settings that stay into the configuration, and clear their overrides.',
  });
}

async function assertVersion(tx: Tx, partition: string, expected: number | undefined): Promise<void> {
  if (expected === undefined) return;
  const version = await streamVersion(tx, streamOf(partition));
  if (version === expected) return;
  const events = await latestChanges(tx, streamOf(partition), expected, namedChanges);
  const meanwhile = events.map(({ data }) => sentenceOf('SettingsChanged', data)).join('; ');
  throw new ProblemException(
    {
      code: 'settings-changed',
      title: 'The settings have changed',
      status: 412,
      detail: `The settings of partition ${partition} are at version ${version}, not ${expected}. ${meanwhile === '' ? '' : `Latest changes: ${meanwhile}. `}Nothing was changed.`,
      remedy: `Read them again: GET /v1/partitions/${partition}/settings`,
    },
    { ETag: tagOf(version) },
  );
}

async function overridesOf(db: DataSource | Tx, partition: string): Promise<SettingOverrideView[]> {
  const rows = await shownOverrides(db, partition);
  return rows.map(({ reason, at, ...row }) => ({
    ...row,
    ...(reason !== null && { reason }),
    at: at.toISOString(),
  }));
}

function assertMayHave(queue: string, settings: SettingChanges): void {
  const [setting] = Object.keys(settings).filter((name) => !mayHaveSetting(queue, name));
  if (setting === undefined) return;
  throw new ProblemException({
    code: 'setting-of-partition',
    title: 'The setting is one of the partition',
    status: 422,
    detail: `${setting} counts for the whole partition, so ${queue} cannot have it. Nothing was changed.`,
    remedy: 'Set it for the partition: without a queue, or with the queue root.',
  });
}
