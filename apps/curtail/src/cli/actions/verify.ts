import { join } from 'node:path';
import type { AnswerOf } from '#api-client';
import { counted } from '#contracts';
import {
  Checkpoints,
  isBefore,
  type LogFault,
  type PlacedManifest,
  readManifest,
  verifyArchives,
  withMoves,
} from '#event-store';
import { type CheckpointFile, readCheckpoints } from '../input/checkpoints.js';
import type { Action, Invocation } from '../invocation/invocation.js';
import { print } from '../output/print.js';
import { startProgress } from '../output/progress.js';
import { partitionColumn, tableLines } from '../output/table.js';
import { type Client, clientOf } from '../server/client.js';
import { CommandError } from '../terminal/errors.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';
import { asCommandError, manifestsIn } from './log.js';
import { verifyAudit } from './verify-audit.js';

interface VerifyOptions {
  archive?: string;
  offline?: boolean;
  checkpoints?: string;
  key?: string;
  audit?: string;
  newerThan?: string;
}

type Page = AnswerOf<'/v1/log/verification', 'get'>;
type Block = Page['blocks'][number];
type Partitions = AnswerOf<'/v1/log/partitions', 'get'>['items'];

export const verify: Action = { run: run };

export const verifyAlias: Action = {
  run: (invocation: Invocation, folder: string | undefined, options: VerifyOptions) =>
    folder === undefined
      ? run(invocation, options)
      : run(invocation, { ...options, archive: options.archive ?? folder, offline: true }),
};

/** What was compared. */
interface Verified {
  /** Events that were compared. */
  events: number;
  blocks: number;
  /** Those of them in the files of the archive. */
  archived: number;
  /** Events of the archive that no chain covers. */
  uncovered: number;
  /** Events that are only in archives, which were not compared. */
  elsewhere: number;
  checkpoints: number;
  faults: LogFault[];
}

async function run(invocation: Invocation, options: VerifyOptions): Promise<ExitStatus> {
  const { archive, offline, checkpoints: file, key, audit, newerThan } = options;
  if (audit !== undefined) {
    if (key === undefined || archive !== undefined || offline || file !== undefined)
      throw new CommandError(
        '--audit checks one file alone: give the public key with --key, and no other option but --newer-than',
      );
    return verifyAudit(invocation, { audit, key, newerThan });
  }
  if (newerThan !== undefined)
    throw new CommandError('--newer-than is for a file of `curtail audit`: name it with --audit');
  if (offline && archive === undefined)
    throw new CommandError('--offline compares an archive alone: name it with --archive');
  if ((file === undefined) !== (key === undefined))
    throw new CommandError(
      '--checkpoints and --key belong together: give the file of checkpoints and its public key',
    );
  const checkpoints = file === undefined ? undefined : await readCheckpoints(file, key!);
  const found = await (offline
    ? verifiedFiles(archive!, checkpoints)
    : verifiedLog(invocation, archive, checkpoints));
  const faults = withMoves([...(checkpoints?.faults ?? []), ...found.faults]);
  await print(invocation, {
    value: { ...found, faults },
    table: () => lines(invocation, { ...found, faults }, options),
    names: () => faults.map(({ position }) => `event/${position}`),
  });
  return faults.length > 0 ? exitStatus.needsAttention : exitStatus.done;
}

/** The files of an archive alone, with the chains that they hold. */
async function verifiedFiles(folder: string, checkpoints: CheckpointFile | undefined): Promise<Verified> {
  const files = (await manifestsIn(folder)).map((manifest) => ({ folder, manifest }));
  const compared = new Checkpoints(checkpoints?.checkpoints ?? []);
  const faults: LogFault[] = [];
  const archived = await verifyArchives(files, {
    onBlock: (block) => faults.push(...compared.compare(block)),
  });
  const last = files.findLast(({ manifest }) => manifest.last !== null)?.manifest.last;
  // Later ones are of blocks in the database.
  faults.push(
    ...compared.unmet().filter(({ position }) => last && BigInt(position) <= BigInt(last.position)),
  );
  return {
    events: archived.events,
    blocks: archived.blocks,
    archived: archived.events,
    uncovered: archived.uncovered,
    elsewhere: 0,
    checkpoints: checkpoints?.checkpoints.length ?? 0,
    faults: [...archived.faults, ...faults],
  };
}

/** The log in the database, and with it the files of an archive. */
async function verifiedLog(
  invocation: Invocation,
  folder: string | undefined,
  checkpoints: CheckpointFile | undefined,
): Promise<Verified> {
  const client = clientOf(invocation);
  const found: Verified = {
    ...{ events: 0, blocks: 0, archived: 0, uncovered: 0, elsewhere: 0 },
    checkpoints: checkpoints?.checkpoints.length ?? 0,
    faults: [],
  };
  const inFiles = folder === undefined ? undefined : await ofArchive(client, folder, found);
  const compared = new Checkpoints(checkpoints?.checkpoints ?? []);
  for await (const page of pages(invocation, client)) {
    found.events += page.events;
    found.blocks += page.blocks.length;
    found.elsewhere += inFiles ? 0 : page.archived;
    found.faults.push(...page.faults);
    for (const block of page.blocks) {
      found.faults.push(...compared.compare({ ...block, hash: Buffer.from(block.hash, 'hex') }));
      if (inFiles) found.faults.push(...inFiles.compare(block));
    }
  }
  found.faults.push(...compared.unmet());
  return found;
}

async function* pages(invocation: Invocation, client: Client): AsyncGenerator<Page> {
  const bar = await startProgress(invocation, 'the log', undefined);
  try {
    for (let after = 0; ; ) {
      const page = await client.get('/v1/log/verification', { params: { query: { after } } });
      yield page;
      if (page.atEnd) return;
      after = page.pass;
    }
  } finally {
    bar.stop();
  }
}

/** Compares the files of the months that are out of the database. */
async function ofArchive(
  client: Client,
  folder: string,
  found: Verified,
): Promise<{ compare(block: Block): LogFault[] }> {
  const { items } = await client.get('/v1/log/partitions', {});
  const gone = items.filter(({ state }) => state === 'detached' || state === 'dropped');
  if (gone.length === 0) await manifestsIn(folder);
  const { files, faults } = await filesOf(gone, folder);
  found.faults.push(...faults);
  const through = gone.findLast((one) => one.through !== null)?.through ?? undefined;
  const hashes = new Map<string, string>();
  const archived = await verifyArchives(files, {
    through,
    onBlock: ({ pass, partition, hash }) => hashes.set(`${pass} ${partition}`, hash.toString('hex')),
  });
  found.archived = archived.events;
  found.events += archived.events;
  found.uncovered = archived.uncovered;
  found.faults.push(...archived.faults);
  // Files of a release that laid no chains: the blocks up to there are of copies that stayed in the database.
  const withoutBlocks = files.findLast(({ manifest }) => manifest.blocks === undefined)?.manifest.last;
  return {
    compare: (block) => {
      const hash = hashes.get(`${block.pass} ${block.partition}`);
      const fault = (message: string): LogFault[] => [
        { kind: 'broken-chain', partition: block.partition, position: block.through.position, message },
      ];
      if (hash === undefined) {
        const isExpected =
          through !== undefined &&
          !isBefore(through, block.through) &&
          (!withoutBlocks || isBefore(withoutBlocks, block.through));
        return isExpected ? fault(`block ${block.block} of the chain is missing in the archive`) : [];
      }
      if (hash === block.hash) return [];
      return fault(`block ${block.block} of the chain is another one in the archive than in the database`);
    },
  };
}

/** The files on record; with `curtail log archive --to` they are in a folder below. */
async function filesOf(
  gone: Partitions,
  folder: string,
): Promise<{ files: PlacedManifest[]; faults: LogFault[] }> {
  const files: PlacedManifest[] = [];
  const faults: LogFault[] = [];
  for (const { name, archive, through } of gone) {
    if (archive === null) continue;
    const position = through?.position ?? '0';
    const fault = (kind: LogFault['kind'], message: string) =>
      faults.push({ kind, partition: '*', position, message });
    try {
      const placed = await placedManifest([folder, join(folder, archive.folder)], name);
      if (placed.manifest.sha256 !== archive.sha256)
        fault(
          'changed',
          `${join(placed.folder, placed.manifest.file)} is not the file that is on record for ${name}`,
        );
      files.push(placed);
    } catch (error) {
      const { message } = asCommandError(error) as Error;
      fault('missing', `the archive of ${name}: ${message}`);
    }
  }
  return { files, faults };
}

async function placedManifest(folders: readonly string[], name: string): Promise<PlacedManifest> {
  let first: unknown;
  for (const folder of folders) {
    try {
      return { folder, manifest: await readManifest(folder, name) };
    } catch (error) {
      first ??= error;
    }
  }
  throw first;
}

function lines(invocation: Invocation, found: Verified, { archive, offline }: VerifyOptions): string[] {
  const { events, blocks, archived, uncovered, elsewhere, checkpoints, faults } = found;
  const all = [
    ...(offline ? [] : [`${counted(events - archived, 'event')} in the database`]),
    ...(archive === undefined ? [] : [`${counted(archived, 'event')} in the archive`]),
  ].join(' and ');
  const compared = [
    `${all}: compared with ${counted(blocks, 'block')} of the hash chains${checkpoints > 0 ? ` and ${counted(checkpoints, 'checkpoint')}` : ''}`,
    ...(uncovered > 0
      ? [`${counted(uncovered, 'event')} of the archive: older than the chains, and not compared`]
      : []),
    ...(elsewhere > 0
      ? [`${counted(elsewhere, 'event')} in archives: not compared; name them with --archive`]
      : []),
  ];
  if (faults.length === 0) return [...compared, 'they are as they were recorded'];
  return [
    ...tableLines(
      [
        { title: 'WHAT' },
        partitionColumn,
        { title: 'POSITION', align: 'right' },
        { title: 'MESSAGE', wraps: 'words', under: true },
      ],
      faults.map(({ kind, partition, position, message }) => [
        { text: kind, tone: 'bad' as const },
        partition,
        position,
        message,
      ]),
      invocation,
    ),
    ...compared,
    `${counted(faults.length, 'fault')} found`,
  ];
}
