import type { DataSource } from 'typeorm';
import {
  chainFromRoot,
  type PartitionSetting,
  propertyOf,
  type QueueSetting,
  queueSettings,
  readDecreaseSettings,
  settingsOfAnswers,
  settingsOfPartitions,
  type settingsOfPlans,
  settingsOfRuns,
} from '#contracts';
import type { SettingOverrideView, SettingView } from '#contracts/api';
import type { Tx } from '#event-store';
import { isDefault, pickSettings, type SettingsOf } from '#platform';
import { appSettings } from '#runtime';

/** A setting that an operator has set for one queue. */
export interface OverrideOfSetting {
  setting: string;
  value: unknown;
  by: string;
  reason: string | null;
  /** RFC 3339, UTC. */
  at: string;
}

/** A queue of a chain: its properties in the configuration in force, and what operators have set in their place. */
interface QueueOfChain {
  path: string;
  properties: Readonly<Record<string, unknown>> | null;
  overrides: readonly OverrideOfSetting[];
}

/** The values that hold where no queue has another. */
export type InstallationSettings = Readonly<Record<QueueSetting, Pick<SettingView, 'value' | 'from'>>>;

/**
 * Every setting in force for the last queue of a chain, and where it comes from: the nearest queue that has it, of one queue its override before its
 * property, else the installation. What queues protect adds up. docs/reference/configuration.md, "Settings of a queue"
 *
 * @param chain from root to the queue.
 */
export function effectiveSettings(
  chain: readonly QueueOfChain[],
  installation: InstallationSettings,
): SettingView[] {
  const nearestFirst = chain.toReversed();
  return queueSettings.flatMap((setting) => {
    const set = nearestFirst.flatMap((queue) => ofQueue(queue, setting) ?? []);
    const fallback: SettingView = { setting, ...installation[setting] };
    if (setting !== 'protect') return set[0] ?? fallback;
    const protecting = [...set, fallback].filter(({ value }) => value !== false);
    return protecting.length > 0 ? protecting : fallback;
  });
}

function ofQueue(
  { path, properties, overrides }: QueueOfChain,
  setting: QueueSetting,
): SettingView | undefined {
  const override = overrides.find((set) => set.setting === setting);
  if (override) {
    const { value, by, reason, at } = override;
    const who = { by, ...(reason !== null && { reason }), at };
    return { setting, value, from: 'override', queue: path, ...who };
  }
  const value = properties?.[propertyOf(setting)];
  return value === undefined || value === null
    ? undefined
    : { setting, value, from: 'configuration', queue: path };
}

/** The settings of planner and executor that queues may have, too. The console shows its own values of them. */
export const installationSchema = pickSettings(
  appSettings,
  'policy',
  ...settingsOfRuns,
  ...settingsOfPartitions,
  ...settingsOfAnswers,
  'foresight',
);

export const INSTALLATION_SETTINGS = Symbol('InstallationSettings');

/** The values of this installation, and whether each is the built-in one. */
export function installationSettings(set: SettingsOf<typeof installationSchema>): InstallationSettings {
  const [policy, builtIn] = [readDecreaseSettings(set.policy), readDecreaseSettings({})];
  const ofPolicy = <K extends (typeof settingsOfPlans)[number]>(name: K) =>
    from(policy[name], policy[name] === builtIn[name]);
  const ofApp = (name: Exclude<keyof typeof installationSchema, 'policy'>) =>
    from(set[name], isDefault(installationSchema[name], set[name]));
  const optional = (name: PartitionSetting) => from(set[name] ?? null, set[name] === undefined);
  const { protect } = set.policy;
  return {
    miss: ofPolicy('miss'),
    fit: ofPolicy('fit'),
    guaranteedTypes: ofPolicy('guaranteedTypes'),
    ageFrom: ofPolicy('ageFrom'),
    disruptionBudgets: ofPolicy('disruptionBudgets'),
    ownerBudgets: from(policy.ownerBudgets, policy.ownerBudgets.length === 0),
    gangs: ofPolicy('gangs'),
    protect: from(protect ?? false, protect === undefined || protect === null),
    approveAboveVictims: ofApp('approveAboveVictims'),
    approveAbovePercent: ofApp('approveAbovePercent'),
    victimsPerSecond: ofApp('victimsPerSecond'),
    graceSeconds: ofApp('graceSeconds'),
    flapping: from(false, true),
    ceilingPerHour: optional('ceilingPerHour'),
    ceilingPerConfiguration: optional('ceilingPerConfiguration'),
    ceilingClusterPercent: optional('ceilingClusterPercent'),
    partitionVictimsPerSecond: optional('partitionVictimsPerSecond'),
    extensions: ofApp('extensions'),
    extensionSeconds: ofApp('extensionSeconds'),
    foresight: ofApp('foresight'),
  };
}

const from = (value: unknown, isBuiltIn: boolean) =>
  ({ value, from: isBuiltIn ? 'default' : 'environment' }) as const;

/** The configured queues from root to a queue, with what operators have set. The last one is not the queue if it is not configured. */
export function readChain(db: DataSource | Tx, partition: string, queue: string): Promise<QueueOfChain[]> {
  return db.query<QueueOfChain[]>(CHAIN, [partition, chainFromRoot(queue)]);
}

/** The settings in force for a queue, which the configuration need not have. */
export async function settingsOfChain(
  db: DataSource | Tx,
  partition: string,
  queue: string,
  installation: InstallationSettings,
): Promise<SettingView[]> {
  return effectiveSettings(await readChain(db, partition, queue), installation);
}

/** The root of each partition, with what operators have set for it. */
export function readRoots(db: DataSource): Promise<(QueueOfChain & { partition: string })[]> {
  return db.query<(QueueOfChain & { partition: string })[]>(
    `${QUEUES} WHERE path = 'root' ORDER BY partition`,
  );
}

const QUEUES = `
  SELECT partition, path, properties,
         (SELECT coalesce(json_agg(json_build_object('setting', setting, 'value', value, 'by', set_by, 'reason', reason,
            'at', to_char(set_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))), '[]')
          FROM setting_overrides o WHERE o.partition = q.partition AND o.queue = q.path) AS overrides
  FROM queues q`;

/** $1 partition, $2 paths. From root to the queue. */
const CHAIN = `${QUEUES} WHERE partition = $1 AND path = ANY ($2::text[]) ORDER BY length(path)`;

/** The overrides of a partition, and whether the configuration in force has their queues. */
export const shownOverrides = (db: DataSource | Tx, partition: string) =>
  db.query<(Omit<SettingOverrideView, 'at' | 'reason'> & { at: Date; reason: string | null })[]>(
    `SELECT queue, setting, value, set_by AS by, reason, set_at AS at,
              EXISTS (SELECT FROM queues q WHERE q.partition = o.partition AND q.path = o.queue) AS configured
       FROM setting_overrides o WHERE partition = $1 ORDER BY queue, setting`,
    [partition],
  );

/** The latest changes of settings after a version. */
export const latestChanges = (tx: Tx, stream: string, after: number, limit: number) =>
  tx.query<{ data: Record<string, unknown> }[]>(
    'SELECT data FROM events WHERE stream = $1 AND version > $2 ORDER BY version DESC LIMIT $3',
    [stream, after, limit],
  );
