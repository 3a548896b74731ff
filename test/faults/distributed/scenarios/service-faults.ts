import { setTimeout as delay } from 'node:timers/promises';
import type { Scenario } from '../play.js';
import { shuffled } from '../shuffled.js';

/** A supervisor of processes is not there at once. */
const longestGoneMs = 2000;
const longestLifeMs = 3000;

export const servicesKilled: Scenario = {
  name: 'services-killed',
  title: 'kill -9 of each service, at moments of chance, and a new start',
  async play({ stage: { fleet }, chance, progress, measured }) {
    for (const name of shuffled(fleet.names(), chance)) {
      await delay(chance.between(0, longestLifeMs));
      progress(`${name} is killed`);
      await fleet.kill(name);
      await delay(chance.between(0, longestGoneMs));
      fleet.startAgain(name);
      const took = await fleet.ready([name]);
      measured({ what: `${name} ready after its start`, ms: took.get(name) ?? 0 });
    }
  },
};

/** Two die at the same moment, and what they held with them. */
export const pairsKilled: Scenario = {
  name: 'pairs-killed',
  title: 'kill -9 of two services at a time, and a new start while others are still away',
  async play({ stage: { fleet }, chance, progress }) {
    for (let times = 0; times < 3; times++) {
      await delay(chance.between(0, longestLifeMs));
      const pair = shuffled(fleet.names(), chance).slice(0, 2);
      progress(`${pair.join(' and ')} are killed`);
      await Promise.all(pair.map((name) => fleet.kill(name)));
      for (const name of pair) {
        await delay(chance.between(0, longestGoneMs));
        fleet.startAgain(name);
      }
    }
    await fleet.ready();
  },
};

/** The others take its partitions; it comes back only once they have. */
const lost = (app: 'planner' | 'executor'): Scenario => ({
  name: `${app}-lost`,
  title: `one ${app} is killed and stays away: the other takes over`,
  async play({ stage, chance, progress }) {
    const { fleet } = stage;
    const [name] = shuffled(fleet.names(app), chance);
    progress(`${name} is killed`);
    await fleet.kill(name!);
    const [row] = await stage.ask<{ position: string }>('SELECT max(position)::text AS position FROM events');
    await delay(chance.between(500, 1500));
    progress(`runs of before continue without ${name}`);
    await stage.until(
      `what started before is over without ${name}`,
      `SELECT NOT EXISTS (
         SELECT FROM events s WHERE s.type = 'io.curtail.enforcement.started.v1' AND s.position <= ${row?.position}
           AND NOT EXISTS (SELECT FROM events e WHERE e.type = 'io.curtail.enforcement.ended.v1'
             AND e.data ->> 'enforcement' = s.data ->> 'enforcement'))`,
    );
    fleet.startAgain(name!);
  },
});
export const plannerLost = lost('planner');
export const executorLost = lost('executor');

/** Longer than it may hold a run without a word: another has it by then, and it must notice. */
const frozenMs = 20_000;

export const executorFrozen: Scenario = {
  name: 'executor-frozen',
  title: 'one executor is frozen until another has its runs, and thawed',
  async play({ stage: { fleet }, chance, progress }) {
    const [name] = shuffled(fleet.names('executor'), chance);
    progress(`${name} is frozen`);
    fleet.freeze(name!);
    await delay(frozenMs);
    fleet.thaw(name!);
  },
};

export const timerFrozen: Scenario = {
  name: 'timer-frozen',
  title: 'the timer is frozen while another one works, and thawed',
  async play({ stage, progress }) {
    const { fleet } = stage;
    const [name] = fleet.names('timer');
    fleet.freeze(name!);
    progress(`${name} is frozen, another one starts`);
    const other = await fleet.add('timer');
    await fleet.ready([other]);
    await stage.moreRuns(10);
    fleet.thaw(name!);
    await stage.moreRuns(10);
    await fleet.stop(other);
    fleet.forget(other);
  },
};
