import { Controller } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { DataSource } from 'typeorm';
import { clusterOfPartition } from '#clusters';
import { clusterOf, type EventData, shownCluster } from '#contracts';
import { inboundTopics } from '#contracts/events';
import type { AnswerRefusal } from '#enforcement';
import { answersStream, appendNext, type KnownEvent, type Tx } from '#event-store';
import { type ConsumerOptions, type Effects, EVENT_BUS_TRANSPORT } from '#messaging';
import { lockCommands } from '../commands/record-command.js';
import { OwnerAnswers } from './owner-answers.js';

type Sent = EventData<'OwnerAnswerSent'>;
type Refusal = Omit<AnswerRefusal, 'remedy'>;

/**
 * Takes answers of owners that are sent as events, just as `POST /v1/answers` does. The sender finds the result by its own id: in
 * OwnerAnswered, or in OwnerAnswerRefused with the reason.
 */
@Controller()
export class TakeAnswers {
  constructor(
    private readonly db: DataSource,
    private readonly answers: OwnerAnswers,
  ) {}

  @EventPattern(inboundTopics.ownerAnswers, EVENT_BUS_TRANSPORT, {
    name: 'owner-answers',
    // Each takes the lock of its run.
    batchSize: 1,
  } satisfies ConsumerOptions)
  async handle(events: KnownEvent[]): Promise<Effects | undefined> {
    const sent = events.flatMap((event) => (event.name === 'OwnerAnswerSent' ? [event] : []));
    if (sent.length === 0) return undefined;
    const takers = await Promise.all(
      sent.map(async ({ data, source }) => {
        const given = { ...data, partition: data.partition.toLowerCase() };
        const foreign = await this.otherCluster(given, clusterOf(source));
        return {
          given,
          take: foreign ? async () => ({ refusal: foreign }) : await this.answers.taker(given),
        };
      }),
    );
    return async (tx) => {
      for (const { given, take } of takers) {
        const { refusal } = await take(tx);
        if (refusal) await refuse(tx, given, refusal);
      }
      return undefined;
    };
  }

  /** A pod of another cluster may have the same name. */
  private async otherCluster(
    { partition, allocation }: Sent,
    cluster: string | undefined,
  ): Promise<Refusal | undefined> {
    const known = cluster === undefined ? undefined : await clusterOfPartition(this.db, partition);
    if (known === undefined || known === cluster) return undefined;
    const message = `Partition ${partition} is cluster ${shownCluster(known)}, and the answer for ${allocation} comes from cluster ${shownCluster(cluster ?? '')}.`;
    return { code: 'other-cluster', message, about: { kind: 'allocation', name: allocation } };
  }
}

async function refuse(
  tx: Tx,
  { partition, allocation, uid, answer, id, by }: Sent,
  { code, message, about }: Refusal,
): Promise<void> {
  const stream = answersStream(`${partition}/${allocation}`);
  await lockCommands(tx, stream);
  const data = {
    partition,
    allocation,
    answer,
    id,
    by,
    code,
    message,
    about,
    ...(uid !== undefined && { uid }),
  };
  await appendNext(tx, {
    stream,
    partition,
    events: [{ event: { name: 'OwnerAnswerRefused', data }, key: partition }],
  });
}
