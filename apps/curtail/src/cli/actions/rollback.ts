import type { Applied, ConfigurationVersion, Preview } from '#api-client';
import { counted, firstOf } from '#contracts';
import { confirm } from '../input/confirm.js';
import type { Invocation } from '../invocation/invocation.js';
import { placeOf } from '../output/inventory-lines.js';
import { previewLines } from '../output/preview-lines.js';
import { write } from '../output/print.js';
import { zoneLines } from '../output/time.js';
import { assertPartitionOnServer } from '../server/assert-place.js';
import { type Client, callerName, clientOf } from '../server/client.js';
import { latestVersion } from '../server/later-version.js';
import { CommandError } from '../terminal/errors.js';
import { safeLine } from '../terminal/printable.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';
import {
  nextOfApply,
  printApplied,
  printPreviews,
  reportReplaced,
  withClocks,
} from './print-configuration.js';

interface RollbackOptions {
  partition: string;
  dryRun?: boolean;
  yes?: boolean;
}

/** What is shown and confirmed holds for the version in force at the beginning; if another one comes into force meanwhile, 412. */
export async function run(
  invocation: Invocation,
  given: number | undefined,
  { partition, dryRun, yes }: RollbackOptions,
): Promise<ExitStatus> {
  const client = clientOf(invocation);
  const inForce = await versionInForce(client, partition);
  const version = given ?? earlierThan(inForce);
  const send = (query: { dryRun?: boolean; by?: string }, header: { 'if-match'?: string } = {}) =>
    client.post('/v1/partitions/{partition}/configurations/{version}/rollback', {
      params: { path: { partition, version: String(version) }, query, header },
    });
  const preview = async () => (await send({ dryRun: true })) as Preview;
  if (dryRun) {
    const foreseen = await preview();
    await printPreviews(invocation, [foreseen]);
    invocation.report('nothing was changed');
    invocation.report(`next: put it in force: curtail rollback ${version}${placeOf({ partition })}`);
    return foreseen.victims > 0 ? exitStatus.wouldEvict : exitStatus.done;
  }
  if (!yes) {
    const foreseen = await preview();
    if (invocation.isForPeople) {
      const lines = previewLines(foreseen, invocation);
      await write(invocation, `${[...lines, ...zoneLines(lines, invocation)].map(safeLine).join('\n')}\n`);
    }
    const replaced = `version ${inForce.version} of partition ${partition} by the text of version ${version}`;
    await confirm(invocation, questionOf(foreseen, replaced), yes);
  }
  const applied = (await send({ by: callerName() }, { 'if-match': `"${inForce.version}"` })) as Applied;
  const all = [await withClocks(client, applied)];
  await printApplied(invocation, all);
  if (all.some(({ replacedBy }) => replacedBy !== undefined)) reportReplaced(invocation, all);
  else invocation.report(`version ${applied.version} is in force, with the text of version ${version}`);
  invocation.report(`next: ${nextOfApply(all)}`);
  return exitStatus.done;
}

const namedQueues = 10;

/** A rollback that removes queues asks for that, as `apply` does: they lose their quotas and guaranteed amounts. */
function questionOf({ removed }: Preview, replaced: string): string {
  if (removed.length === 0) return `Replace ${replaced}?`;
  const queues = removed.map(({ queue }) => queue);
  return `${counted(removed.length, 'queue')} would be removed (${firstOf(queues, namedQueues)}) and lose their quotas and guaranteed amounts; their work continues. Remove them, and replace ${replaced}?`;
}

async function versionInForce(client: Client, partition: string): Promise<ConfigurationVersion> {
  const latest = await latestVersion(client, partition);
  if (latest) return latest;
  await assertPartitionOnServer(client, partition);
  throw new CommandError(`no configuration was applied to partition ${partition}`, {
    next: 'put one in force: curtail apply -f FILE',
  });
}

function earlierThan({ version, previous, partition }: ConfigurationVersion): number {
  if (previous !== null) return previous;
  throw new CommandError(
    `version ${version} is the first of partition ${partition}: there is no earlier one`,
    {
      next: `see the history: curtail get configurations${placeOf({ partition })}`,
    },
  );
}
