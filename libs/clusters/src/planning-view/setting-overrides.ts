import type { DataSource, EntityManager } from 'typeorm';
import type { QueueInForce } from './queues-in-force.js';

/** By queue, the properties that operators have set in the place of those of the configuration. */
export type SettingOverrides = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** $1 the partition. */
export const SETTING_OVERRIDES = `
  SELECT coalesce(json_object_agg(queue, properties), '{}')
  FROM (SELECT queue, json_object_agg('curtail.' || setting, value) AS properties
        FROM setting_overrides WHERE partition = $1 GROUP BY queue) AS set`;

export async function settingOverrides(
  db: DataSource | EntityManager,
  partition: string,
): Promise<SettingOverrides> {
  const [row] = await db.query<{ overrides: SettingOverrides }[]>(
    `SELECT (${SETTING_OVERRIDES}) AS overrides`,
    [partition],
  );
  return row?.overrides ?? {};
}

/** The queues with the properties that hold. An override of a queue that is not among them has no effect. */
export function withOverrides(
  queues: readonly QueueInForce[],
  overrides: SettingOverrides,
): readonly QueueInForce[] {
  if (Object.keys(overrides).length === 0) return queues;
  return queues.map((queue) =>
    Object.hasOwn(overrides, queue.path)
      ? { ...queue, properties: { ...queue.properties, ...overrides[queue.path] } }
      : queue,
  );
}
