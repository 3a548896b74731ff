import { randomUUID } from 'node:crypto';
import { Controller, HttpCode, Inject, Module, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { DataSource } from 'typeorm';
import { ofPartition } from '#contracts';
import { type WebhookMessage, webhookResent, webhookTested } from '#contracts/api';
import { databaseTime } from '#event-store';
import { ApiAnswer, ApiProblem, ProblemException } from '#platform';
import { OPERATOR_DATABASE, type Webhook } from '#runtime';
import { WEBHOOK } from './announcements.js';
import { CallWebhook } from './call-webhook.js';
import { addDelivered, resendDead } from './outbox.js';
import { post, signedHeaders } from './post.js';

@ApiTags('status')
@Controller('v1/webhook')
class WebhookController {
  constructor(
    @Inject(WEBHOOK) private readonly webhook: Webhook | null,
    @Inject(OPERATOR_DATABASE) private readonly db: DataSource,
  ) {}

  @Post('test')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send a test message to the webhook',
    description:
      'Sends one message of type `test`, once, and answers when the receiver has accepted it; otherwise 502 with its answer. 409: no webhook is configured.',
  })
  @ApiAnswer(webhookTested)
  @ApiProblem(502, 'The receiver did not accept the message; `detail` has its answer.')
  async test(): Promise<{ id: string }> {
    if (!this.webhook) throw notConfigured();
    const { url, secrets, timeoutMs } = this.webhook;
    const at = await databaseTime(this.db);
    const message: WebhookMessage = {
      type: 'test',
      timestamp: at.toISOString(),
      data: {
        partition: 'default',
        code: 'test',
        message: 'An operator tests the webhook of Curtail.',
        remedy: 'nothing to do',
        about: ofPartition('default'),
      },
    };
    const id = `msg_${randomUUID()}`;
    const body = JSON.stringify(message);
    const headers = signedHeaders(secrets, { id, at: Math.floor(at.getTime() / 1000), body });
    const posted = await post(url, headers, body, { timeoutMs });
    if (!posted.delivered) throw notTaken(posted.error);
    await addDelivered(this.db, { id, type: message.type, body });
    return { id };
  }

  @Post('resend')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Resend messages that were given up',
    description:
      'Makes all messages that were given up after their last attempt due again, with their ids; they are sent in the background. 409: no webhook is configured.',
  })
  @ApiAnswer(webhookResent)
  async resend(): Promise<{ messages: number }> {
    if (!this.webhook) throw notConfigured();
    return { messages: await resendDead(this.db) };
  }
}

const notConfigured = () =>
  new ProblemException({
    code: 'no-webhook',
    title: 'There is no webhook',
    status: 409,
    detail: 'CURTAIL_WEBHOOK_URL of the console is not set.',
    remedy: 'Set it, with CURTAIL_WEBHOOK_SECRET, and restart the console.',
  });

const notTaken = (error: string) =>
  new ProblemException({
    code: 'webhook-fails',
    title: 'The webhook did not accept the message',
    status: 502,
    detail: `The webhook did not accept the message: ${error}.`,
    remedy: 'Check its receiver, and CURTAIL_WEBHOOK_URL of the console.',
  });

/** Notifies an address outside. */
@Module({ controllers: [WebhookController], providers: [CallWebhook] })
export class NotificationsModule {}
