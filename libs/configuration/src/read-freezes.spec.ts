import { describe, expect, it } from '@jest/globals';
import { readConfiguredWindow } from '#holds';
import { readConfiguration } from './read-configuration.js';

const withFreeze = (written: string, checkWindow = true) =>
  readConfiguration(
    `partitions:
  - name: default
    queues:
      - name: root
        queues:
          - name: a
            properties:
              curtail.freeze: ${written}
`,
    checkWindow ? { checkWindow: readConfiguredWindow } : {},
  );
const path = 'partitions[0].queues[0].queues[0].properties."curtail.freeze"';

describe('curtail.freeze', () => {
  it.each([
    [
      '{from: 2026-12-24T12:00, until: 2026-12-27T08:00, timeZone: Europe/Berlin, reason: holidays}',
      [
        {
          from: '2026-12-24T12:00',
          until: '2026-12-27T08:00',
          timeZone: 'Europe/Berlin',
          reason: 'holidays',
        },
      ],
    ],
    [
      `'[{"from": "2026-11-27T18:00", "duration": "P2DT12H", "rule": "FREQ=WEEKLY;BYDAY=FR"}]'`,
      [{ from: '2026-11-27T18:00', duration: 'P2DT12H', rule: 'FREQ=WEEKLY;BYDAY=FR' }],
    ],
    ['null', undefined],
  ])('%s is read', (written, freezes) => {
    const { errors, queues } = withFreeze(written);
    expect(errors).toEqual([]);
    expect(queues.find((queue) => queue.path === 'root.a')?.properties?.['curtail.freeze']).toEqual(freezes);
  });

  it('means the same whenever it is applied: windows that are over are no errors', () => {
    expect(withFreeze('{from: 2020-01-01T00:00Z, until: 2020-01-02T00:00Z}').errors).toEqual([]);
  });

  it('needs a begin also where windows are not checked', () => {
    const { errors } = withFreeze('{until: 2026-12-27T08:00Z}', false);
    expect(errors).toMatchObject([{ path: `${path}.from`, line: 8 }]);
  });

  it.each([
    ['{until: 2026-12-27T08:00Z}', '.from', 'it is missing: write when the freeze begins'],
    ['{from: 2026-12-24T12:00Z}', '.until', 'a freeze needs an end: set until or duration'],
    [
      '{from: 2026-12-24T12:00Z, until: 2026-12-23T12:00Z}',
      '.until',
      'the freeze ends at 2026-12-23T12:00:00.000Z, which is not after its start',
    ],
    [
      '{from: 2026-12-24T12:00, until: 2026-12-27T08:00, timeZone: Europe/Munich}',
      '.timeZone',
      'Europe/Munich',
    ],
    ['{from: 2026-12-24T12:00, duration: PT8H, rule: FREQ=HOURLY}', '.rule', 'FREQ=HOURLY: write DAILY'],
    [
      '{from: 2026-12-24T12:00Z, untill: 2026-12-27T08:00Z}',
      '.untill',
      'unknown field; a freeze has from, until',
    ],
    ['tomorrow', '', 'a freeze is written as {from:'],
    ['[christmas]', '[0]', 'a freeze is written as {from:'],
  ])('%s is refused with its field and its line', (written, field, message) => {
    const { errors } = withFreeze(written);
    expect(errors).toMatchObject([
      { path: `${path}${field}`, message: expect.stringContaining(message), line: 8 },
    ]);
  });

  it('of a text of JSON is refused with its field and the line of the text', () => {
    const { errors } = withFreeze(`'{"from": "2026-12-24T12:00Z", "until": "soon"}'`);
    expect(errors).toMatchObject([{ path: `${path}.until`, line: 8 }]);
  });

  it('is limited: twenty of a queue', () => {
    const one = '{from: 2026-12-24T12:00Z, until: 2026-12-27T08:00Z}';
    const { errors } = withFreeze(`[${Array(21).fill(one).join(', ')}]`);
    expect(errors).toMatchObject([{ path, message: 'it has 21 freezes; a queue has at most 20' }]);
  });

  it('has its fields checked, and not its windows, where no check is given', () => {
    expect(withFreeze('{from: whenever}', false).errors).toEqual([]);
    expect(withFreeze('{till: whenever}', false).errors).toHaveLength(1);
  });
});
