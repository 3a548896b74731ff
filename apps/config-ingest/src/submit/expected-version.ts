import { CurtailError, firstOf, InputError } from '#contracts';
import type { Tx } from '#event-store';
import { versionToMatch } from '#platform';
import { changedSince } from './configuration-store.js';

const namedQueues = 5;

/** Another configuration came into force since the sender read the one that it changed. */
export class VersionConflict extends CurtailError {
  readonly code = 'configuration-changed';

  constructor(
    /** In force; 0: none. */
    readonly version: number,
    expected: number,
    changed: readonly string[],
  ) {
    const meanwhile =
      changed.length === 0
        ? 'No quota changed meanwhile.'
        : `Meanwhile the quotas of these queues changed: ${firstOf(changed, namedQueues)}.`;
    super(
      version === 0
        ? `The configuration was to replace version ${expected}, and none is in force.`
        : `The configuration was to replace version ${expected}, and version ${version} is in force. ${meanwhile}`,
    );
  }
}

/**
 * Checks inside the transaction that puts a configuration in force, under its lock.
 *
 * @param expected undefined: any. 0: none yet.
 * @throws VersionConflict with the queues whose quotas changed since.
 */
export async function assertVersion(
  tx: Tx,
  partition: string,
  inForce: number,
  expected: number | undefined,
): Promise<void> {
  if (expected === undefined || expected === inForce) return;
  throw new VersionConflict(inForce, expected, await changedSince(tx, partition, expected));
}

/**
 * The version that a request expects, from its headers. RFC 9110 §13.1: `If-Match: "7"`, or `If-None-Match: *` for none yet.
 *
 * @returns undefined without such a header.
 * @throws InputError that names the header.
 */
export function expectedVersion(
  ifMatch: string | undefined,
  ifNoneMatch: string | undefined,
): number | undefined {
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch.trim() === '*' && ifMatch === undefined) return 0;
    throw new InputError(
      'If-None-Match',
      'write *, alone, to apply a configuration only if none is in force',
    );
  }
  return versionToMatch(ifMatch, 'GET /v1/partitions/{partition}/config');
}
