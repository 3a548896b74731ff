import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Played, Scenario } from '../play.js';
import type { ServerName, Victim } from '../servers.js';
import type { Stage } from '../stage.js';

/** Who needs a server to be ready. */
const users: Record<ServerName, (stage: Stage) => string[]> = {
  kafka: ({ fleet }) => fleet.names(),
  postgres: ({ fleet }) => fleet.names(),
  redis: ({ fleet }) => fleet.names('timer'),
};

const spoken: Record<ServerName, string> = { kafka: 'Kafka', postgres: 'PostgreSQL', redis: 'Redis' };
/** From the return of the server to the readiness of all who need it. */
const targetMs: Record<ServerName, number> = { kafka: 5000, postgres: 1000, redis: 1000 };

/** Something that is done to a server, and how it is made good. */
interface Hit {
  word: string;
  title: (server: string) => string;
  harm(victim: Victim): Promise<void>;
  /** Resolves when the server serves again. */
  mend(victim: Victim): Promise<void>;
}

const startAgain = ({ server }: Victim) => server.start();
const pass = async ({ proxy }: Victim) => proxy?.pass();

const hits: Hit[] = [
  {
    word: 'stopped',
    title: (server) => `${server} is stopped in order, and started again`,
    harm: ({ server }) => server.stop(),
    mend: startAgain,
  },
  {
    word: 'killed',
    title: (server) => `${server} is killed, and started again`,
    harm: ({ server }) => server.kill(),
    mend: startAgain,
  },
  {
    word: 'frozen',
    title: (server) => `${server} is frozen, and thawed`,
    harm: ({ server }) => server.freeze(),
    mend: async ({ server }) => {
      await server.thaw();
      await server.waitReady();
    },
  },
  {
    word: 'cut',
    title: (server) => `the way to ${server} is cut`,
    harm: async ({ proxy }) => proxy?.cut(),
    mend: pass,
  },
  {
    word: 'hole',
    title: (server) => `the way to ${server} is a black hole`,
    harm: async ({ proxy }) => proxy?.hole(),
    mend: pass,
  },
];

/** Longest time that a server is away beyond the moment at which all have noticed. */
const longestAwayMs = 4000;

/** Each server, each way in which it can be lost. */
export const serverFaults: Scenario[] = (Object.keys(users) as ServerName[]).flatMap((name) =>
  hits.map(
    (hit): Scenario => ({
      name: `${name}-${hit.word}`,
      title: hit.title(spoken[name]),
      play: (played) => lose(played, name, hit),
    }),
  ),
);

async function lose(
  { stage, chance, progress, measured }: Played,
  name: ServerName,
  hit: Hit,
): Promise<void> {
  const victim = stage.servers.of(name);
  const concerned = users[name](stage);
  await hit.harm(victim);
  progress('all notice it');
  await stage.fleet.unready(concerned);
  progress('it stays away');
  await delay(chance.between(0, longestAwayMs));
  await hit.mend(victim);
  const returnedAt = new Date();
  const took = await stage.fleet.ready(concerned);
  measured({
    what: `ready after the return of ${spoken[name]}`,
    ms: Math.max(...took.values()),
    targetMs: targetMs[name],
  });
  progress('events flow again');
  const flowing = await stage.firstHandled(returnedAt);
  measured({
    what: `all consumers at work after the return of ${spoken[name]}`,
    ms: flowing.getTime() - returnedAt.getTime(),
  });
}

/** Redis loses its keys, and nothing shows it: no connection was lost. */
export const redisFlushed: Scenario = {
  name: 'redis-flushed',
  title: 'Redis is flushed, again and again',
  async play({ stage, chance, progress }) {
    const redis = new Redis(stage.servers.direct.redisUrl);
    try {
      for (let times = 1; times <= 3; times++) {
        progress(`flush ${times}`);
        await redis.flushall();
        await delay(chance.between(200, 1500));
      }
    } finally {
      await redis.quit();
    }
  },
};

export const oneOfThree: Scenario = {
  name: 'one-broker-of-three-killed',
  title: 'one of three brokers is killed, and started again; then another',
  brokers: 3,
  async play({ stage, chance, progress, measured }) {
    const { brokers } = stage.servers;
    const first = Math.floor(chance.between(0, brokers.length));
    for (const index of [first, (first + 1) % brokers.length]) {
      progress(`broker ${index + 1} is dead`);
      await brokers[index]!.kill();
      const went = new Date();
      await stage.moreRuns(5);
      measured({ what: `five more runs without broker ${index + 1}`, ms: Date.now() - went.getTime() });
      await brokers[index]!.start();
      const took = await stage.fleet.ready();
      measured({
        what: `ready after the return of broker ${index + 1}`,
        ms: Math.max(...took.values()),
        targetMs: 5000,
      });
    }
  },
};
