import { Module } from '@nestjs/common';
import { CallWebhook } from './call-webhook.js';
import { WebhookController } from './webhook.controller.js';

/** Notifies an address outside. */
@Module({ controllers: [WebhookController], providers: [CallWebhook] })
export class NotificationsModule {}
