import { describe, expect, it } from '@jest/globals';
import { aboutSetting, variablesOf } from '#platform';
import { curtailSettings } from '#runtime';
import { shapes, shapesOnKubernetes } from './shapes.js';

/** Select no shape, or one that needs a server of its own (libs/messaging/src/kafka has their tests). */
const others = [/^CURTAIL_LOG_/, /^CURTAIL_KAFKA_(TLS|SASL|MANAGE_TOPICS|CLIENT)$/];

describe('the shapes that are started', () => {
  it('have each value of each setting that has a few', () => {
    const started = [...Object.values(shapes), ...Object.values(shapesOnKubernetes)].flatMap(
      ({ settings = {} }) => Object.entries(settings).map(([name, value]) => `${name}=${value}`),
    );
    const missing = variablesOf(curtailSettings)
      .map(aboutSetting)
      .filter(({ variable }) => !others.some((other) => other.test(variable)))
      .flatMap(({ variable, right }) => valuesOf(right).map((value) => `${variable}=${value}`))
      .filter((pair) => !started.includes(pair));
    expect(missing).toEqual([]);
  });
});

/** As a setting names what it accepts: `one of a, b`, or `yes or no`. */
function valuesOf(right: string): string[] {
  if (right === 'yes or no') return ['yes', 'no'];
  return /^one of (.+)$/.exec(right)?.[1]?.split(', ') ?? [];
}
