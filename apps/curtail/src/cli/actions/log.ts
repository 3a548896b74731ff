import type { ArchivablePartition, ArchiveResult, DigestReplay } from '#api-client';
import { counted } from '#contracts';
import { catalog } from '#contracts/events';
import { assertDigest, DamagedArchive, readArchive, readManifests, unpackSnapshot } from '#event-store';
import { addCompared, madeAgain, noneCompared, recordedPlanOf } from '#replay';
import type { Action, Invocation } from '../invocation/invocation.js';
import { print } from '../output/print.js';
import { partitionColumn, tableLines } from '../output/table.js';
import { callerName, clientOf } from '../server/client.js';
import { replaying } from '../server/replaying.js';
import { CommandError } from '../terminal/errors.js';

interface ArchiveOptions {
  before: string;
  to?: string;
  dryRun?: boolean;
}

export const archive: Action = {
  run: async (invocation: Invocation, options: ArchiveOptions) => {
    const request = { ...options, by: callerName() };
    if (options.dryRun) {
      const found = (await replaying(invocation, clientOf(invocation), '/v1/log/archive', request)) as {
        partitions: ArchivablePartition[];
      };
      await print(invocation, {
        value: found,
        table: () =>
          tableLines(
            [
              partitionColumn,
              { title: 'FROM' },
              { title: 'TO' },
              { title: 'EVENTS', align: 'right' },
              { title: 'STAY', align: 'right' },
            ],
            found.partitions.map(({ partition, from, to, events, stay }) => [
              partition,
              from ?? '-',
              to,
              `about ${events}`,
              String(stay),
            ]),
            invocation,
          ),
        names: () => found.partitions.map(({ partition }) => `partition/${partition}`),
      });
      return;
    }
    const done = (await replaying(
      invocation,
      clientOf(invocation),
      '/v1/log/archive',
      request,
    )) as ArchiveResult;
    await print(invocation, {
      value: done,
      table: () => [
        `${counted(done.events, 'event')} of ${counted(done.partitions.length, 'month')} are archived and out of the database`,
        ...done.partitions.map(
          ({ partition, file, events, sha256 }) =>
            `  ${partition}: ${counted(events, 'event')} in ${file}, sha256 ${sha256}`,
        ),
      ],
      names: () => done.partitions.map(({ partition }) => `partition/${partition}`),
    });
  },
};

/** @throws CommandError if there is no archive. */
export async function manifestsIn(folder: string) {
  try {
    const manifests = await readManifests(folder);
    if (manifests.length > 0) return manifests;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new CommandError(`${folder} is not a folder: give one with files such as events_2026_07.json`);
    }
    throw asCommandError(error);
  }
  throw new CommandError(
    `${folder} holds no archive of the log: give a folder with files such as events_2026_07.json`,
  );
}

export function asCommandError(error: unknown): unknown {
  const next = 'take the file from a backup of the archive; nothing is read from a file that was changed';
  if (error instanceof DamagedArchive) return new CommandError(error.message, { next });
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? error : new CommandError(message);
}

/** Recomputes every plan of an archive from its recorded input, and compares the digests; without a service. */
export async function replayArchive(folder: string): Promise<DigestReplay> {
  const found = noneCompared();
  try {
    for (const manifest of await manifestsIn(folder)) {
      await assertDigest(folder, manifest);
      for await (const { event, snapshot } of readArchive(folder, manifest)) {
        if (event.type !== catalog.PlanComputed.type) continue;
        const recorded = recordedPlanOf(event);
        const made = await madeAgain(
          recorded,
          async (digest) => snapshot && unpackSnapshot(snapshot, digest),
        );
        addCompared(found, recorded, made);
      }
    }
  } catch (error) {
    throw asCommandError(error);
  }
  return found;
}
