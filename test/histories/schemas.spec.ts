import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { differences, type Schemas, schemasOfToday } from './schemas.js';

const folder = new URL('./', import.meta.url);
const releases = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe('schemas of events', () => {
  const today = schemasOfToday();

  it.each(releases)('get a new version when they change: since %s', (release) => {
    const before: Schemas = JSON.parse(readFileSync(new URL(`${release}/schemas.json`, folder), 'utf8'));
    for (const [type, { version, schema }] of Object.entries(before)) {
      const now = today[type];
      // Events in the log must stay readable: no type ever goes.
      expect([type, now?.version ?? 0]).toEqual([type, expect.any(Number)]);
      expect(now!.version).toBeGreaterThanOrEqual(version);
      // If this fails: add an upcaster (libs/contracts/src/events/upcasters.ts; docs/development.md, "Changing an event").
      if (now!.version === version) expect([type, differences(schema, now!.schema)]).toEqual([type, []]);
    }
  });

  const schema = {
    type: 'object',
    title: 'Event',
    properties: {
      cause: { type: 'string', enum: ['a', 'b'] },
      max: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    },
    required: ['cause'],
  };
  const changed = (change: (copy: typeof schema) => void) => {
    const copy = structuredClone(schema);
    change(copy);
    return differences(schema, copy);
  };

  it.each<[string, (copy: typeof schema) => unknown]>([
    ['a new value of an enumeration', ({ properties }) => properties.cause.enum.push('c')],
    ['a property that is demanded from now on', ({ required }) => required.push('max')],
    ['a property that is demanded no more', ({ required }) => required.pop()],
    ['a property that goes', ({ properties }) => Reflect.deleteProperty(properties, 'max')],
    ['another type', ({ properties }) => Object.assign(properties.max.anyOf[0]!, { type: 'string' })],
    ['one more alternative', ({ properties }) => properties.max.anyOf.push({ type: 'string' })],
    ['a limit', ({ properties }) => Object.assign(properties.cause, { maxLength: 5 })],
  ])('need one for %s', (_, change) => {
    expect(changed(change)).not.toEqual([]);
  });

  it('need none for a property that may be left out, nor for words', () => {
    expect(
      changed((copy) => {
        Object.assign(copy.properties, { more: { type: 'number' } });
        Object.assign(copy, { title: 'Another', description: 'text' });
        copy.properties.cause.enum.reverse();
      }),
    ).toEqual([]);
  });
});
