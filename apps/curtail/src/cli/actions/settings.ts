import type { SettingChanges, Settings } from '#api-client';
import type { Invocation } from '../invocation/invocation.js';
import { placeOf } from '../output/inventory-lines.js';
import { print } from '../output/print.js';
import { changedLines, settingsLines } from '../output/settings-lines.js';
import { callerName, clientOf } from '../server/client.js';
import { CommandError } from '../terminal/errors.js';

interface SettingsOptions {
  partition: string;
  set?: Record<string, unknown>;
  clear?: string[];
  reason?: string;
  ifVersion?: number;
}

export async function run(
  invocation: Invocation,
  queue = 'root',
  { partition, set = {}, clear = [], reason, ifVersion }: SettingsOptions,
): Promise<undefined> {
  const both = clear.find((name) => name in set);
  if (both !== undefined) throw new CommandError(`${both} is both set and cleared; choose one`);
  const settings = { ...set, ...Object.fromEntries(clear.map((name) => [name, null])) };
  const changesNothing = Object.keys(settings).length === 0;
  if (changesNothing && (reason !== undefined || ifVersion !== undefined)) {
    throw new CommandError('--reason and --if-version are for changes: add --set NAME=VALUE or --clear NAME');
  }
  const client = clientOf(invocation);
  const before = await client.get('/v1/partitions/{partition}/settings', {
    params: { path: { partition }, query: { queue } },
  });
  if (changesNothing) {
    await print(invocation, {
      value: before,
      table: () => settingsLines(before, invocation),
      names: () => [`queue/${queue}`],
    });
    return;
  }
  // What is shown as changed is what this request changed.
  const after = await client.patch('/v1/partitions/{partition}/settings', {
    params: { path: { partition }, header: { 'if-match': `"${ifVersion ?? before.version}"` } },
    body: {
      queue,
      settings: settings as SettingChanges,
      by: callerName(),
      ...(reason === undefined ? {} : { reason }),
    },
  });
  await print(invocation, {
    value: after,
    table: () => changedLines(before, after, invocation),
    names: () => [`queue/${queue}`],
  });
  const place = `${queue === 'root' ? '' : ` ${queue}`}${placeOf({ partition })}`;
  invocation.report(nextStep(before, after, Object.keys(set), place));
}

function nextStep(before: Settings, after: Settings, names: readonly string[], place: string): string {
  if (after.version === before.version) return 'nothing was changed: the overrides were the same';
  const undo = names.map((name) => ` --clear ${name}`).join('');
  return undo === ''
    ? `next: see the settings in force: curtail settings${place}`
    : `next: let the configuration decide again: curtail settings${place}${undo}`;
}
