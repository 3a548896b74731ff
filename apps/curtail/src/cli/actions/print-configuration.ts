import type { Applied, Preview } from '#api-client';
import type { Invocation } from '../invocation/invocation.js';
import { type AppliedWithClocks, appliedLines, pendingShown } from '../output/applied-lines.js';
import { placeOf } from '../output/inventory-lines.js';
import { previewLines } from '../output/preview-lines.js';
import { print } from '../output/print.js';
import { zoneLines } from '../output/time.js';
import type { Client } from '../server/client.js';
import { clocksAfter, pendingClocks } from '../server/clocks-after.js';
import { laterVersion } from '../server/later-version.js';

/** Prints what configurations would change, one for each partition. */
export async function printPreviews(invocation: Invocation, previews: readonly Preview[]): Promise<void> {
  await print(invocation, {
    value: previews.length === 1 ? previews[0] : previews,
    table: () => {
      const lines = previews.flatMap((one) => previewLines(one, invocation));
      return [...lines, ...zoneLines(lines, invocation)];
    },
    names: () =>
      previews.flatMap(({ changed, pending = [], rounds }) => [
        ...[...changed, ...pending.filter(({ clock }) => clock.effect !== 'none')].flatMap(
          ({ plan }) => plan?.victims.map(({ allocation }) => `allocation/${allocation}`) ?? [],
        ),
        ...rounds.flatMap(({ more }) => more.map((allocation) => `allocation/${allocation}`)),
      ]),
  });
}

export function changesSomething({
  changed,
  removed,
  policyChanges = [],
  propertiesChanged = [],
  guaranteedChanged = [],
  ...switches
}: Preview): boolean {
  const { quotaPreemptionEnabled: on, previousQuotaPreemptionEnabled: before } = switches;
  const changes = [changed, removed, policyChanges, propertiesChanged, guaranteedChanged];
  return changes.some(({ length }) => length > 0) || on !== before;
}

/** The applied configuration, with the clocks that it set. */
export async function withClocks(client: Client, applied: Applied): Promise<AppliedWithClocks> {
  const clocks = await clocksAfter(client, applied);
  const replacedBy = await laterVersion(client, applied);
  // By now, some of the pending clocks may follow from the other configuration.
  if (replacedBy !== undefined) return { ...applied, clocks, pending: [], replacedBy };
  return { ...applied, clocks, pending: await pendingClocks(client, applied, pendingShown + 1) };
}

/** Reports which of the applied configurations are no longer in force. */
export function reportReplaced(invocation: Invocation, all: readonly AppliedWithClocks[]): void {
  for (const { partition, version, replacedBy } of all) {
    if (replacedBy === undefined) continue;
    invocation.report(
      `version ${version} of partition ${partition} was applied; version ${replacedBy}, applied right after it, is in force`,
    );
  }
}

/** Prints what configurations changed, one for each partition. */
export async function printApplied(invocation: Invocation, all: readonly AppliedWithClocks[]): Promise<void> {
  await print(invocation, {
    value: all.length === 1 ? all[0] : all,
    table: () => all.flatMap((one) => appliedLines(one, invocation, Date.now())),
    names: () => all.flatMap(({ changed }) => changed.map(({ queue }) => `queue/${queue}`)),
  });
}

/** Of several partitions, the hint names the first that it concerns. */
export function nextOfApply(all: readonly AppliedWithClocks[]): string {
  const replaced = all.find(({ replacedBy }) => replacedBy !== undefined);
  if (replaced) return `see who applied the other one: curtail get configurations${placeOf(replaced)}`;
  const due = all.find(
    ({ clocks, pending, quotaPreemptionEnabled: on, previousQuotaPreemptionEnabled: before }) =>
      (on && before === false) ||
      clocks.some(({ dueAt, suspended }) => dueAt !== null && !suspended) ||
      pending.some(({ state }) => state === 'pending'),
  );
  if (due) return `watch the delay run: curtail get timers${placeOf(due)} --watch`;
  const held = all.find(({ clocks }) => clocks.some(({ suspended }) => suspended));
  if (held) return `see what holds the clocks: curtail get timers${placeOf(held)}`;
  const unblocking = all.find(
    ({ guaranteedChanged = [], propertiesChanged = [], quotaPreemptionEnabled: on }) =>
      on && guaranteedChanged.length + propertiesChanged.length > 0,
  );
  if (unblocking)
    return `see in a minute whether a queue gets another run now: curtail get timers${placeOf(unblocking)}`;
  const started = all.find(({ policyChanges = [] }) =>
    policyChanges.some(({ change }) => change === 'starts'),
  );
  if (started) return `see what its rounds find: curtail get rounds${placeOf(started)}`;
  return `see the queues: curtail get queues${placeOf(all[0] ?? { partition: 'default' })}`;
}
