import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ARCHIVE_PLACE, type ArchivePlace } from './archive-place.js';

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
