import { Module } from '@nestjs/common';
import { SettingsController } from './settings.controller.js';
import { Settings } from './settings.js';

/** The settings of queues and partitions at runtime. */
@Module({ controllers: [SettingsController], providers: [Settings] })
export class SettingsModule {}
