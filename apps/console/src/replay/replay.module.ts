import { Module } from '@nestjs/common';
import { ArchiveLog } from './archive/archive-log.js';
import { RepublishEvents } from './kafka/republish-events.js';
import { BuildProjections } from './projections/build-projections.js';
import { RemakeInThread } from './remake/remake-in-thread.js';
import { ArchiveController, ReplayController, RepublishController } from './replay.controller.js';
import { Replays } from './replays.js';
import { ReplayDigests, ReplayShadows } from './shadow/replay-shadows.js';

/** Replays of the log, and its archive. */
@Module({
  controllers: [ArchiveController, ReplayController, RepublishController],
  providers: [
    ArchiveLog,
    BuildProjections,
    RemakeInThread,
    ReplayDigests,
    Replays,
    ReplayShadows,
    RepublishEvents,
  ],
  exports: [RemakeInThread],
})
export class ReplayModule {}
