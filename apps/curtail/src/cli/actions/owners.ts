import { counted } from '#contracts';
import type { Action, Invocation } from '../invocation/invocation.js';
import { placeOf } from '../output/inventory-lines.js';
import { printLine } from '../output/print.js';
import { clockText } from '../output/time.js';
import { callerName, clientOf } from '../server/client.js';

interface Place {
  partition: string;
}

export const make: Action = {
  run: async (invocation: Invocation, id: string, { partition, days }: Place & { days?: number }) => {
    const { path, expiresAt } = await clientOf(invocation).post('/v1/allocations/{id}/link', {
      params: { path: { id } },
      body: { partition, ...(days !== undefined && { days }) },
    });
    const link = `${invocation.server}${path}`;
    await printLine(invocation, { link, expiresAt }, link, link);
    if (expiresAt === null) {
      invocation.report(
        'warning: CURTAIL_TOKEN is not set on the server, so this address is no secret link: only callers with the right to read can open it',
      );
    } else {
      invocation.report(`it works until ${clockText(expiresAt)}`);
      invocation.report(`next: to end it early: curtail links revoke ${id}${placeOf({ partition })}`);
    }
  },
};

export const revoke: Action = {
  run: async (invocation: Invocation, id: string, { partition }: Place) => {
    const result = await clientOf(invocation).delete('/v1/allocations/{id}/link', {
      params: { path: { id }, query: { partition, by: callerName() } },
    });
    await printLine(
      invocation,
      result,
      `links for the owner of ${id} (partition ${partition}) no longer work`,
      `allocation/${id}`,
    );
    invocation.report(`next: make a new one: curtail links make ${id}${placeOf({ partition })}`);
  },
};

export const test: Action = {
  run: async (invocation: Invocation) => {
    const tested = await clientOf(invocation).post('/v1/webhook/test', {});
    await printLine(invocation, tested, `the receiver accepted message ${tested.id}`, tested.id);
  },
};

export const resend: Action = {
  run: async (invocation: Invocation) => {
    const resent = await clientOf(invocation).post('/v1/webhook/resend', {});
    await printLine(
      invocation,
      resent,
      resent.messages === 0
        ? 'no messages were given up'
        : `${counted(resent.messages, 'message')} will be sent again`,
    );
  },
};
