import type { Invocation } from '../invocation/invocation.js';
import { print } from '../output/print.js';
import { clientOf } from '../server/client.js';

export async function run(invocation: Invocation): Promise<undefined> {
  const who = await clientOf(invocation).get('/v1/whoami');
  const { actor, grants } = who;
  await print(invocation, {
    value: who,
    table: () => [
      actor === null
        ? 'anonymous: this server needs no credential'
        : `${actor.subject}, by ${actor.issuer}${actor.groups ? `; groups ${actor.groups.join(', ')}` : ''}`,
      ...(grants.length === 0 ? ['no rights'] : []),
      ...grants.map(
        ({ rights, partition, queue }) =>
          `${rights.join(', ')}: ${queue ?? 'all queues'} in ${partition === null ? 'all partitions' : `partition ${partition}`}`,
      ),
    ],
    names: () => (actor === null ? [] : [`subject/${actor.subject}`]),
  });
}
