import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { AccessControl, actorNow, ProblemException } from '#platform';
import { OPERATOR_DATABASE } from '#runtime';
import { submittersOf } from './statements.js';

/** `twoPersonRule` of the policy file: nobody approves a change that they submitted, or a run that they requested. docs/how-to/identities.md */
@Injectable()
export class TwoPerson {
  constructor(
    @Inject(OPERATOR_DATABASE) private readonly db: DataSource,
    private readonly access: AccessControl,
  ) {}

  /** @throws ProblemException 403 if the caller caused the run. */
  assertForRun(enforcement: string): Promise<void> {
    return this.assert({ enforcement });
  }

  /** @throws ProblemException 403 if the caller submitted the version. */
  assertForVersion(partition: string, version: number): Promise<void> {
    return this.assert({ partition, version });
  }

  private async assert(cause: Parameters<typeof submittersOf>[1]): Promise<void> {
    if (!this.access.policy.twoPersonRule) return;
    const subject = actorNow()?.subject;
    if (subject === undefined) throw unknownCaller();
    const submitters = await submittersOf(this.db, cause);
    if (submitters.some(({ by }) => by === subject)) throw sameOne(subject);
  }
}

const sameOne = (subject: string) =>
  new ProblemException({
    code: 'two-person-rule',
    title: 'Another person must approve',
    status: 403,
    detail: `${subject} submitted this change or requested this run, and the policy file sets twoPersonRule.`,
    remedy: 'Ask another approver.',
  });

const unknownCaller = () =>
  new ProblemException({
    code: 'two-person-rule',
    title: 'Approval needs a credential',
    status: 403,
    detail: 'The policy file sets twoPersonRule, and the request carries no credential.',
    remedy: 'Send the request with your own token.',
  });
