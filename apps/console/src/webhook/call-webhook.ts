import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { InventoryControl } from '#clusters';
import { isLoopback, LOG, Metrics, RepeatedWarning } from '#platform';
import { Sampler, type Webhook, type Worker } from '#runtime';
import { Wakeable } from '#waiting';
import { announceByWebhook } from './announce.js';
import { WEBHOOK } from './announcements.js';
import {
  countPending,
  noteBrokenOff,
  noteDelivered,
  noteFailed,
  type TakenMessage,
  takeDueMessages,
} from './outbox.js';
import { post, signedHeaders } from './post.js';

const announceEveryMs = 3000;
const sendEveryMs = 1000;
/** Messages that one process sends at the same time. */
const mostAtOnce = 8;
/** A process that has taken a message has this long to record the result, after the time limit of the request. */
const recordSeconds = 30;

/** Makes messages about events that need an operator, and delivers them to the webhook: at least once each, from any number of processes. */
@Injectable()
export class CallWebhook implements Worker {
  private readonly stopping = new AbortController();
  private readonly idle = new Wakeable();
  private readonly announcer: Sampler;
  private readonly notDelivered: RepeatedWarning;
  private readonly notRecorded: RepeatedWarning;
  private sending: Promise<void> | undefined;

  constructor(
    @Inject(WEBHOOK) private readonly webhook: Webhook | null,
    private readonly db: DataSource,
    private readonly metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
    @Optional() @Inject(InventoryControl) private readonly inventory: InventoryControl | null,
  ) {
    const notMade = new RepeatedWarning(log, 'Could not create messages for the webhook; retrying.');
    this.announcer = new Sampler(announceEveryMs, () => this.announce(), notMade);
    this.notDelivered = new RepeatedWarning(log, 'Could not deliver a message to the webhook; retrying.');
    this.notRecorded = new RepeatedWarning(
      log,
      'Could not read or record messages for the webhook; retrying.',
    );
  }

  async start(): Promise<void> {
    if (!this.webhook) return;
    this.warnOfPlainHttp(this.webhook);
    this.announcer.start();
    this.sending = this.send(this.webhook);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.announcer.stop();
    await this.sending;
  }

  private warnOfPlainHttp({ url }: Webhook): void {
    const { protocol, hostname } = new URL(url);
    if (protocol === 'https:' || isLoopback(hostname)) return;
    this.log.warn(
      { setting: 'CURTAIL_WEBHOOK_URL' },
      'The webhook is called over http, so its messages can be read on the way; use https.',
    );
  }

  private async announce(): Promise<void> {
    if (!this.webhook) return;
    const clusters = this.webhook.types.has('cluster.unknown') ? await this.inventory?.status() : undefined;
    await announceByWebhook(this.db, this.webhook, clusters?.items ?? []);
    this.metrics.webhook.pending(await countPending(this.db));
    this.idle.wake();
  }

  private async send(webhook: Webhook): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const sent = await this.sendDue(webhook).catch((error: unknown) => {
        this.notRecorded.warn(error);
        return 0;
      });
      if (sent < mostAtOnce) await this.idle.sleep(sendEveryMs, signal);
    }
  }

  /** @returns the number of attempts. */
  private async sendDue(webhook: Webhook): Promise<number> {
    const taken = await takeDueMessages(
      this.db.manager,
      mostAtOnce,
      webhook.timeoutMs / 1000 + recordSeconds,
    );
    const results = await Promise.allSettled(taken.map((message) => this.deliver(webhook, message)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    return taken.length;
  }

  private async deliver({ url, secrets, timeoutMs }: Webhook, message: TakenMessage): Promise<void> {
    const { id, type, attempts, body } = message;
    const { signal: stopping } = this.stopping;
    const headers = signedHeaders(secrets, message);
    const posted = await post(url, headers, body, { timeoutMs, stopping }).catch((error: unknown) => {
      if (!stopping.aborted) throw error;
      return undefined;
    });
    if (posted === undefined) return noteBrokenOff(this.db, message);
    if (posted.delivered) {
      await noteDelivered(this.db, message);
      this.metrics.webhook.attempted('delivered');
      return;
    }
    const result = await noteFailed(this.db, message, posted.error, posted.retryAfter);
    this.metrics.webhook.attempted(result);
    const fields = { id, type, attempts };
    if (result === 'retried') this.notDelivered.warn(posted.error, fields);
    else this.log.error({ ...fields, reason: posted.error }, 'Gave up on a message to the webhook.');
  }
}
