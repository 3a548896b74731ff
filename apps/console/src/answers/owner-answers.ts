import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader, recordCheckpoint } from '#clusters';
import type { DomainEvent, EventData, SnapshotAllocation } from '#contracts';
import { type AnswerFacts, type AnswerRefusal, decideAnswer, type GivenAnswer } from '#enforcement';
import { answersStream, appendNext, databaseTime, type Tx } from '#event-store';
import { lockCommands } from '../commands/record-command.js';
import {
  INSTALLATION_SETTINGS,
  type InstallationSettings,
  settingsOfChain,
} from '../settings/effective-settings.js';
import { readAnswers, saveAnswer } from './answer-rows.js';
import { answeredTo } from './read-facts.js';

export type AnswerOutcome =
  | { answered: EventData<'OwnerAnswered'>; repeated: boolean; refusal?: never }
  | { refusal: AnswerRefusal; answered?: never };

/**
 * Takes answers of owners, whichever way they come. Each is one event and its row. It is decided under the lock that the eviction gate
 * shares (apps/executor/src/eviction-gate.ts): an extension is recorded before the request of its eviction, or refused.
 */
@Injectable()
export class OwnerAnswers {
  constructor(
    private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(INSTALLATION_SETTINGS) private readonly installation: InstallationSettings,
  ) {}

  /** @param mayAnswer throws if the sender may not answer for this queue. */
  async take(given: GivenAnswer, mayAnswer: (queue: string) => void = () => {}): Promise<AnswerOutcome> {
    const taken = await this.taker(given, mayAnswer);
    return this.db.transaction(taken);
  }

  /** Reads what is needed before the transaction. @returns what decides and records the answer, in a transaction. */
  async taker(
    given: GivenAnswer,
    mayAnswer: (queue: string) => void = () => {},
  ): Promise<(tx: Tx) => Promise<AnswerOutcome>> {
    const { partition, allocation } = given;
    const live = await this.cluster.allocation(partition, allocation);
    if (live) mayAnswer(live.queue);
    const enforcement = live && (await this.runFor(this.db, given, live)).enforcement;
    const stream = answersStream(enforcement ?? `${partition}/${allocation}`);
    return async (tx) => {
      await lockCommands(tx, stream);
      const { decision, event } = await this.decide(tx, given, live, enforcement);
      if (event)
        await appendNext(tx, { stream, partition, events: [{ event, key: live?.queue ?? partition }] });
      return decision;
    };
  }

  private async decide(
    tx: Tx,
    given: GivenAnswer,
    live: SnapshotAllocation | undefined,
    enforcement: string | undefined,
  ): Promise<{ decision: AnswerOutcome; event?: DomainEvent }> {
    const { partition, allocation } = given;
    const known = await readAnswers(tx, given, enforcement);
    const { facts } = live ? await this.runFor(tx, given, live, enforcement) : { facts: {} };
    const decision = decideAnswer(given, {
      now: (await databaseTime(tx)).toISOString(),
      live,
      limits: live ? await this.limits(tx, partition, live.queue) : { extensions: 0, extensionSeconds: 0 },
      sameId: known.sameId,
      earlier: known.ofRun.filter(({ uid }) => uid === live?.uid),
      ...facts,
    });
    if (decision.refusal) return { decision: { refusal: decision.refusal } };
    const { event, repeated } = decision;
    const answered = { answered: event.data, repeated };
    if (repeated) return { decision: answered };
    if (event.data.checkpointedAt !== undefined) {
      const { uid, checkpointedAt } = event.data;
      await recordCheckpoint(tx, { partition, allocation, uid, at: new Date(checkpointedAt) });
    }
    await saveAnswer(tx, event.data);
    return { decision: answered, event };
  }

  /** @param only the run whose lock is held: no other one can be answered now. */
  private async runFor(
    db: Parameters<typeof answeredTo>[0],
    { partition, answer }: GivenAnswer,
    live: SnapshotAllocation,
    only?: string,
  ): Promise<{ enforcement: string | undefined; facts: Pick<AnswerFacts, 'run' | 'clock'> }> {
    if (answer === 'checkpointed') return { enforcement: undefined, facts: {} };
    const { run, clock } = await answeredTo(db, partition, live);
    const enforcement = run?.enforcement ?? clock?.enforcement;
    if (only !== undefined && enforcement !== only) return { enforcement: only, facts: {} };
    return { enforcement, facts: { run, clock } };
  }

  private async limits(
    db: Parameters<typeof settingsOfChain>[0],
    partition: string,
    queue: string,
  ): Promise<AnswerFacts['limits']> {
    const settings = await settingsOfChain(db, partition, queue, this.installation);
    const of = (name: string) => Number(settings.find(({ setting }) => setting === name)?.value ?? 0);
    return { extensions: of('extensions'), extensionSeconds: of('extensionSeconds') };
  }
}
