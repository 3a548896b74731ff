import { Injectable } from '@nestjs/common';
import { NoAnswer } from '#waiting';
import { Down } from './not-ready.js';
import { askCheck, Readiness } from './readiness.js';

/** A server that does not do what Curtail needs of it. */
export interface ServerDown {
  /** As in `/readyz`: `database`, `kafka`, `redis`. */
  name: string;
  /** For programs: `no-answer` in time, `unreachable` for another error, or what the server refuses. */
  code: string;
  /** Without a full stop. */
  reason: string;
  /** What to do, where the reason tells it. */
  remedy?: string;
}

/** Which servers of this process are down now. For operators: reasons may have addresses. */
@Injectable()
export class ServersDown {
  constructor(private readonly readiness: Readiness) {}

  /** Whether each is down, by name; as `within`. */
  async byName(withinMs: number): Promise<ReadonlyMap<string, boolean>> {
    const down = new Set((await this.within(withinMs)).map(({ name }) => name));
    return new Map(this.readiness.checks().map(({ name }) => [name, down.has(name)]));
  }

  /** By name. Takes no longer than `withinMs`: a server that does not answer by then counts as down. */
  async within(withinMs: number): Promise<ServerDown[]> {
    const asked = this.readiness.checks().map(async (check): Promise<ServerDown[]> => {
      const error = await askCheck(check, withinMs);
      return error === undefined ? [] : [downBy(check.name, error)];
    });
    return (await Promise.all(asked)).flat().sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

function downBy(name: string, error: Error): ServerDown {
  if (error instanceof Down) return { name, code: error.code, reason: error.message, remedy: error.remedy };
  return {
    name,
    code: error instanceof NoAnswer ? 'no-answer' : 'unreachable',
    reason: error.message || error.name,
  };
}
