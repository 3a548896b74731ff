import { join, normalize, sep } from 'node:path';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { InputError } from '#contracts';
import { ProblemException } from '#platform';

/** Nest token of the settings for archives. */
export const ARCHIVE_PLACE = Symbol('ArchivePlace');

export interface ArchivePlace {
  /** Absent: this process neither archives nor reads archives. */
  folder?: string | undefined;
  /** Months that ended less than this many days ago stay. */
  afterDays: number;
}

/** @throws ProblemException 409 if this console has no folder for archives. */
export function folderOf({ folder }: ArchivePlace): string {
  if (folder !== undefined) return folder;
  throw new ProblemException({
    code: 'no-archive-folder',
    title: 'There is no folder for archives',
    status: 409,
    detail: 'This Curtail has no folder for archives of the log.',
    remedy:
      'Set CURTAIL_ARCHIVE_DIR for the console and start it again (docs/how-to/keep-and-archive.md, "Archive the log").',
  });
}

/**
 * A request over HTTP can choose only a folder below the configured one.
 *
 * @throws InputError
 */
export function checkedSubfolder(to: string): string {
  const path = normalize(to);
  if (to.includes('\0') || path.startsWith(sep) || path.split(sep).includes('..')) {
    throw new InputError('to', 'give a folder below CURTAIL_ARCHIVE_DIR of the console, such as 2026');
  }
  return join(path, '.');
}

@Global()
@Module({})
class ArchiveModule {}

/** Provides the place of archives of the log. */
export function archiveModule(place: ArchivePlace): DynamicModule {
  return {
    module: ArchiveModule,
    providers: [{ provide: ARCHIVE_PLACE, useValue: place }],
    exports: [ARCHIVE_PLACE],
  };
}
