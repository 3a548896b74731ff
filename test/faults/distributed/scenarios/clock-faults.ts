import { skewedBy } from '../../../support/skewed-by.js';
import type { Fleet } from '../fleet.js';
import type { Scenario } from '../play.js';

const ahead = 10 * 60_000;
const behind = -ahead;

/** Milliseconds by name; who is not named has the right time. */
type Skews = ReadonlyMap<string, number>;

/** Every service is wrong in both directions at some time, beside others that are wrong in the other one. */
const skews = (fleet: Fleet): Skews[] => {
  const [executor1, executor2] = fleet.names('executor') as [string, string];
  const [planner1, planner2] = fleet.names('planner') as [string, string];
  const [timer] = fleet.names('timer') as [string];
  const [ingest] = fleet.names('config-ingest') as [string];
  const [console] = fleet.names('console') as [string];
  return [
    new Map([
      [timer, ahead],
      [executor1, behind],
      [planner1, behind],
    ]),
    new Map([
      [timer, behind],
      [ingest, ahead],
      [executor2, ahead],
    ]),
    new Map([
      [ingest, behind],
      [planner1, ahead],
      [planner2, behind],
      [console, ahead],
    ]),
  ];
};

export const clocksSkewed: Scenario = {
  name: 'clocks-skewed',
  title: 'the clocks of services are ten minutes off, each in another direction',
  // Longer than a save and a start take: a run that begins as soon as its quota is lowered began early.
  shape: { delayMs: [3000, 5000] },
  async play({ stage, progress }) {
    const { fleet } = stage;
    let now: Skews = new Map();
    const turn = async (next: Skews) => {
      const changed = fleet.names().filter((name) => now.get(name) !== next.get(name));
      now = next;
      await Promise.all(
        changed.map((name) => fleet.restart([name], next.has(name) ? skewedBy(next.get(name)!) : {})),
      );
    };
    try {
      for (const next of skews(fleet)) {
        progress([...next].map(([name, ms]) => `${name} ${ms > 0 ? 'ahead' : 'behind'}`).join(', '));
        await turn(next);
        await stage.moreRuns(10);
      }
    } finally {
      await turn(new Map());
    }
  },
};
